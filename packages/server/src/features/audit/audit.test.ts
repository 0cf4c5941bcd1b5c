// The audit log through the HTTP API: which entries each principal sees, paging, and the chain.
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { canonicalJson, GENESIS_HASH } from '@keyrail/protocol/wire/audit-chain.ts';
import { type Caller, type Harness, harness, refused } from '@keyrail/testing/harness.ts';
import type { LightMyRequestResponse as Response } from 'fastify';

const list = 'GET /v1/audit_logs';
const chain = 'GET /v1/audit_logs/chain';

/**
 * Makes changes to keys, the workspace and its members, so that some audit entries have an
 * environment and some don't.
 */
async function busy(app: Harness): Promise<void> {
  const { as } = app;
  const live = await as.liveKey('POST /v1/secret_keys', { env: 'live', name: 'a live name' });
  const own = await as.liveKey('POST /v1/secret_keys', { env: 'test' });
  await as.liveKey('PATCH /v1/workspace', { name: 'Renamed' });
  await as.liveKey('POST /v1/secret_keys/{id}/rotate', { id: live.id });
  await as.testKey('POST /v1/secret_keys/{id}/revoke', { id: own.id, reason: 'a test reason' });
  await as.liveKey('POST /v1/invites', { email: 'guest@example.com', role: 'member' });
  await as.owner('PATCH /v1/workspace', { name: 'Renamed again' });
}

const walk = async (app: Harness, token: string, limit: number) => {
  const rows: Record<string, unknown>[] = [];
  let next: string | undefined = `/v1/audit_logs?limit=${limit}`;
  for (let pages = 0; next !== undefined && pages < 100; pages += 1) {
    const headers = { authorization: `Bearer ${token}` };
    const page: Response = await app.testApp.app.http.inject({ url: next, headers });
    equal(page.statusCode, 200, page.body);
    ok(page.json().data.length <= limit);
    rows.push(...page.json().data);
    next = /^<([^>]+)>; rel="next"$/.exec(String(page.headers.link ?? ''))?.[1];
  }
  return rows;
};

test('entries are listed oldest first, without gaps, each linked to the one before', async (t) => {
  const app = await harness(t);
  await busy(app);
  const rows = (await app.as.liveKey(list)).data;
  deepEqual(
    rows.map(({ seq }) => seq),
    rows.map((_, at) => at + 1),
  );
  deepEqual(
    rows.map(({ prev_hash }) => prev_hash),
    [GENESIS_HASH, ...rows.slice(0, -1).map(({ hash }) => hash)],
  );
  const times = rows.map(({ occurred_at }) => occurred_at);
  deepEqual(times, times.toSorted());
});

test('the hashes can be recomputed from the listed entries alone', async (t) => {
  const app = await harness(t);
  await busy(app);
  for (const row of (await app.as.liveKey(list)).data) {
    const document = {
      workspace_id: app.workspaceId,
      seq: row.seq,
      id: row.id,
      occurred_at: row.occurred_at,
      actor_type: row.actor_type,
      actor_id: row.actor_id,
      action: row.action,
      target_type: row.target_type,
      target_id: row.target_id,
      payload: row.payload,
      prev_hash: row.prev_hash,
    };
    const derived = createHash('sha256')
      .update(canonicalJson(document as never))
      .digest('hex');
    equal(derived, row.hash, row.action);
  }
});

test('`after_seq` starts the list after the given entry number, even if that entry does not exist yet', async (t) => {
  const app = await harness(t);
  await busy(app);
  const all = (await app.as.liveKey(list)).data;
  for (const after_seq of [0, 1, 3, all.length - 1, all.length, 1e6, Number.MAX_SAFE_INTEGER]) {
    const { data: rows } = await app.as.liveKey(list, { after_seq });
    deepEqual(rows, all.slice(after_seq), `after ${after_seq}`);
  }
});

const queries: [Record<string, unknown>, boolean][] = [
  [{ limit: 1 }, true],
  [{ limit: 200 }, true],
  [{ limit: 0 }, false],
  [{ limit: 201 }, false],
  [{ limit: '' }, false],
  [{ limit: '1e2' }, false],
  [{ limit: '-1' }, false],
  [{ limit: [1, 2] }, false],
  [{ after_seq: -1 }, false],
  [{ after_seq: '1.5' }, false],
  [{ after_seq: '9007199254740992' }, false],
  [{ cursor: '' }, false],
  [{ cursor: 'AAAA' }, false],
  [{ env: 'test' }, false],
];

for (const [query, isTaken] of queries) {
  test(`listing entries with ${JSON.stringify(query)} is ${isTaken ? 'accepted' : 'rejected'}`, async (t) => {
    const { as } = await harness(t);
    if (isTaken) await as.liveKey(list, query);
    else await refused(as.liveKey(list, query), 400, 'invalid_request');
  });
}

test('paging covers the whole log at every page size, for both live and test keys', async (t) => {
  const app = await harness(t);
  await busy(app);
  for (const [token, caller] of [
    [app.tokens.liveKey, app.as.liveKey],
    [app.tokens.testKey, app.as.testKey],
  ] as const) {
    const all = (await caller(list)).data;
    for (const limit of [1, 2, 3, all.length - 1, all.length, all.length + 1]) {
      deepEqual(await walk(app, token, limit), all, `pages of ${limit}`);
    }
  }
});

test('the default page has fifty entries, and the last page has no next link', async (t) => {
  const app = await harness(t);
  for (let n = 0; n < 49; n += 1) await app.as.liveKey('PATCH /v1/workspace', { name: `n${n}` });
  const authorization = `Bearer ${app.tokens.liveKey}`;
  const first = await app.ask(list, {}, { authorization });
  equal(Array.isArray(first.body.data) && first.body.data.length, 50);
  match(first.headers.link ?? '', /^<\/v1\/audit_logs\?cursor=[\w-]+>; rel="next"$/);
  const rest = await app.ask(list, { after_seq: 50 }, { authorization });
  equal(Array.isArray(rest.body.data) && rest.body.data.length, 2);
  equal(rest.headers.link, undefined);
});

test('a test key sees test entries and entries without an environment, with their original seq', async (t) => {
  const app = await harness(t);
  await busy(app);
  const all = (await app.as.liveKey(list)).data;
  const seen = (await app.as.testKey(list)).data;
  const isLive = ({ payload }: { payload: Record<string, unknown> }) => payload.env === 'live';
  ok(all.some(isLive));
  deepEqual(
    seen.map(({ seq, hash }) => `${seq} ${hash}`),
    all.filter((row) => !isLive(row)).map(({ seq, hash }) => `${seq} ${hash}`),
  );
  ok(seen.length < (seen.at(-1)?.seq ?? 0), 'its view of seq has gaps');
});

test('a test key sees no personal data', async (t) => {
  const app = await harness(t);
  await busy(app);
  const owner = await app.people.owner();
  const seen = (await app.as.testKey(list)).data;
  for (const row of seen) equal('actor' in row, false);
  const about = (type: string) => seen.filter((row) => row.target_type === type);
  for (const type of ['workspace_invite', 'workspace_member']) {
    ok(about(type).length > 0, type);
    for (const row of about(type)) deepEqual(row.payload, {}, row.action);
  }
  for (const type of ['workspace', 'secret_key']) {
    for (const row of about(type)) ok(Object.keys(row.payload).length > 0, row.action);
  }
  const text = JSON.stringify(seen);
  for (const email of ['guest@example.com', owner.email]) equal(text.includes(email), false);
});

test('a test key does not see how many keys a deletion revoked, because that includes live keys', async (t) => {
  const app = await harness(t);
  const { id: project_id, slug } = await app.given.project();
  const { id: tenant_id, external_id } = await app.given.tenant();
  await app.given.key({ project_id, tenant_id, env: 'live' });
  await app.given.key({ project_id, env: 'live' });
  await app.as.liveKey('DELETE /v1/tenants/{id}', { id: tenant_id });
  await app.as.liveKey('DELETE /v1/projects/{id}', { id: project_id });
  const payloads = async (caller: Caller) =>
    (await caller(list)).data
      .filter(({ action }) => action.endsWith('.deleted'))
      .map(({ action, payload }) => [action, payload]);
  deepEqual(await payloads(app.as.liveKey), [
    ['tenant.deleted', { external_id, revoked_keys: 1 }],
    ['project.deleted', { slug, revoked_keys: 1 }],
  ]);
  deepEqual(await payloads(app.as.testKey), [
    ['tenant.deleted', { external_id }],
    ['project.deleted', { slug }],
  ]);
});

test('a live key sees which user made a change, or null if no user made it', async (t) => {
  const app = await harness(t);
  await busy(app);
  const owner = await app.people.owner();
  const rows = (await app.as.liveKey(list)).data;
  const byPerson = rows.filter(({ actor_type }) => actor_type === 'user');
  ok(byPerson.length > 0);
  for (const row of rows) {
    if (row.actor_type === 'user') {
      equal(row.actor?.id, row.actor_id, row.action);
    } else equal(row.actor, null, row.action);
  }
  const last = byPerson.findLast(({ action }) => action === 'workspace.updated');
  equal(last?.actor_id, owner.userId);
  equal(last?.actor?.email, owner.email);
  const [created] = rows;
  deepEqual([created?.actor_type, created?.actor_id], ['bootstrap', null]);
});

test('every principal that verifies the chain gets the same result', async (t) => {
  const app = await harness(t);
  await busy(app);
  await app.people.member();
  const last = (await app.as.liveKey(list)).data.at(-1);
  const verdict = await app.as.liveKey(chain);
  deepEqual(verdict, {
    object: 'audit_chain',
    verified: true,
    checked: last?.seq,
    head_seq: last?.seq,
    head_hash: last?.hash,
    broken_seq: null,
    reason: null,
  });
  deepEqual(await app.as.testKey(chain), verdict);
  deepEqual(await app.as.member(chain), verdict);
});

test('the chain stays intact under concurrent writes', async (t) => {
  const { as } = await harness(t);
  const writes = Array.from({ length: 20 }, (_, n) =>
    as.liveKey('PATCH /v1/workspace', { name: `n${n}` }),
  );
  const verdicts = Array.from({ length: 5 }, () => as.liveKey(chain));
  await Promise.all(writes);
  for (const verdict of await Promise.all(verdicts))
    equal(verdict.verified, true, verdict.reason ?? '');
  equal((await as.liveKey(chain)).checked, 23);
});

test('each workspace has its own chain', async (t) => {
  const mine = await harness(t);
  const theirs = await harness(t);
  await busy(mine);
  equal((await theirs.as.liveKey(chain)).head_seq, 3);
  const ids = new Set((await mine.as.liveKey(list)).data.map(({ id }) => id));
  ok((await theirs.as.liveKey(list)).data.every(({ id }) => !ids.has(id)));
});
