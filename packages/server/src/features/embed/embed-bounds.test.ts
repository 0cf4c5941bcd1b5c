// Limits on embed tokens: how many keys a tenant may have, and how many changes it may make per
// minute.
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { type Embedded, embedded } from '@keyrail/testing/embed.ts';
import {
  callerBy,
  type Harness,
  harness,
  messageOf,
  Refusal,
  refused,
} from '@keyrail/testing/harness.ts';
import { appBeside } from '@keyrail/testing/second-app.ts';
import { toNextMinute } from '@keyrail/testing/test-app.ts';
import { createEmbedChangeLimit } from '../../access/embed-changes.ts';
import { createMemoryCounters } from '../../volatile/memory.ts';

const create = 'POST /v1/embed/keys';
const rotate = 'POST /v1/embed/keys/{id}/rotate';
const revoke = 'POST /v1/embed/keys/{id}/revoke';
const KEYS_MAX = 100;
const CHANGES_PER_MINUTE = 120;

/** Creates keys for an embed token's tenant through the vendor API, which has no such limit. */
async function keysFor({ given }: Harness, subject: Subject, count: number): Promise<string[]> {
  const { projectId, tenantId, env = 'live' } = subject;
  const ids: string[] = [];
  for (let made = 0; made < count; made += 1) {
    const wanted = { project_id: projectId, tenant_id: tenantId, env };
    ids.push((await given.key(wanted)).id);
  }
  return ids;
}

type Subject = { projectId: string; tenantId: string; env?: string };

test('a tenant at its key limit can neither create nor rotate a key', async (t) => {
  const vendor = await harness(t);
  const page = await vendor.embed();
  const [first = ''] = await keysFor(vendor, page, KEYS_MAX - 1);
  const last = await page.call(create);
  const over = await refused(page.call(create), 409, 'conflict');
  match(String(messageOf(over)), /100 keys/);
  await refused(page.call(rotate, { id: first, overlap_hours: 0 }), 409, 'conflict');
  await page.call(revoke, { id: last.id });
  const next = await page.call(rotate, { id: first });
  equal(next.rotated_from, first);
  await refused(page.call(create), 409, 'conflict');
  const { data } = await vendor.as.liveKey('GET /v1/keys', {
    tenant_id: page.tenantId,
    limit: 200,
  });
  equal(data.length, KEYS_MAX);
});

test('the key limit is per tenant, project and environment, and does not apply to the vendor', async (t) => {
  const vendor = await harness(t);
  const page = await vendor.embed();
  await keysFor(vendor, page, KEYS_MAX);
  await refused(page.call(create), 409, 'conflict');
  const { projectId: project_id, tenantId: tenant_id } = page;
  for (const other of [{ project_id }, { tenant_id }, { project_id, tenant_id, env: 'test' }]) {
    const elsewhere = await embedded(vendor, other);
    ok((await elsewhere.call(create)).id);
  }
  await keysFor(vendor, page, 1);
});

test('if a tenant may have only one more key, only one of twenty concurrent requests creates one', async (t) => {
  const vendor = await harness(t);
  const page = await vendor.embed();
  const ids = await keysFor(vendor, page, KEYS_MAX - 1);
  const calls = Array.from({ length: 20 }, (_, at) =>
    at % 2 === 0 ? page.call(create) : page.call(rotate, { id: ids[at] }),
  );
  const settled = await Promise.allSettled(calls);
  const statuses = settled.map((each) =>
    each.status === 'fulfilled' ? 'made' : statusOf(each.reason),
  );
  deepEqual(statuses.toSorted(), [...Array(19).fill('409'), 'made']);
  const { data } = await vendor.as.liveKey('GET /v1/keys', {
    tenant_id: page.tenantId,
    limit: 200,
  });
  equal(data.length, KEYS_MAX);
});

const statusOf = (reason: unknown): string =>
  reason instanceof Refusal ? `${reason.answer.status}` : String(reason);

test('after making 120 changes in a minute across all its tokens, a tenant can only read', async (t) => {
  const vendor = await harness(t);
  const { clock, testApp } = vendor;
  toNextMinute(clock);
  const counters = createMemoryCounters({ nowMs: () => clock.now().getTime() });
  const app = appBeside(t, testApp, { chargeEmbedChange: createEmbedChangeLimit(clock, counters) });
  const callOf = ({ headers }: Embedded) => callerBy(app, () => headers);
  const token = await vendor.embed();
  const page = { ...token, call: callOf(token) };
  const { id } = await page.call(create);
  for (let change = 1; change < CHANGES_PER_MINUTE; change += 1) await page.call(revoke, { id });
  const { projectId: project_id, tenantId: tenant_id } = page;
  const sibling = await embedded(vendor, { project_id, tenant_id });
  for (const call of [page.call, callOf(sibling)]) {
    const over = await refused(call(create), 429, 'rate_limited');
    const seconds = Number(over.headers['retry-after']);
    ok(seconds >= 1 && seconds <= 60, `${seconds}`);
  }
  equal((await page.call('GET /v1/embed/keys')).data.length, 0);
  const stranger = await embedded(vendor, { project_id });
  ok((await callOf(stranger)(create)).id, 'another tenant has a separate budget');
  vendor.clock.shift(61_000);
  ok((await page.call(create)).id);
});
