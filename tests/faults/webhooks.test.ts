// Events under faults: workers are killed, one receiver is killed and comes back, one fails half of
// the time, and one never responds. The good receiver gets every committed change at least once,
// always under the same ID, and nothing else. KEYRAIL_TEST_CHANGES sets the number of changes.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { openWork } from '@keyrail/server/doors/work.ts';
import { storesOfRun } from '@keyrail/testing/full-run.ts';
import type { StoreName } from '@keyrail/testing/test-app.ts';
import { until } from '@keyrail/testing/until.ts';
import { openReceiver } from '@keyrail/testing/webhook-receiver.ts';
import { BOOTSTRAP_TOKEN, type Deployment, deploy, type Running } from '../journeys/deployment.ts';

const CHANGES = Number(process.env.KEYRAIL_TEST_CHANGES ?? 48);
const WRITERS = 4;
/**
 * How long to wait for all events. The time depends on the number of changes: a run with ten
 * thousand takes minutes.
 */
const WAIT_MS = 60_000 + CHANGES * 100;

const stores = storesOfRun();
const whyNot = (store: StoreName): string | false =>
  store === 'postgres' && !process.env.KEYRAIL_TEST_POSTGRES ? 'no PostgreSQL is available' : false;

/** Expires claims, and the pauses after failures, so that the test doesn't have to wait. */
async function lapse({ open }: Deployment): Promise<void> {
  const db = await open();
  const text = `update webhook_deliveries set due_at = created_at,
      claimed_until = claimed_until - interval '1 hour' where state = 'pending'`;
  await openWork(db, () => crypto.randomUUID())((tx) => tx.run({ text, values: [] }));
  await db.close();
}

type Api = { current: Running };

/**
 * Creates tenants. Every fourth tenant is created twice with the same external ID, so that the
 * second request is rolled back.
 */
async function write(api: Api, token: string, { from, to }: { from: number; to: number }) {
  for (let n = from; n < to; n += 1) {
    for (const external_id of n % 4 === 0 ? [`cust-${n}`, `cust-${n}`] : [`cust-${n}`]) {
      // Requests that fail while the server is down are ignored: the audit log shows what was
      // committed.
      await api.current
        .as(token)('POST /v1/tenants', { external_id })
        .catch(() => {});
    }
  }
}

const writeAll = (api: Api, token: string, { from, to }: { from: number; to: number }) => {
  const share = Math.ceil((to - from) / WRITERS);
  return Promise.all(
    Array.from({ length: WRITERS }, (_, at) => {
      const start = from + at * share;
      return write(api, token, { from: start, to: Math.min(to, start + share) });
    }),
  );
};

/** The IDs of all audit rows about tenants. */
async function committed({ as }: Running, token: string): Promise<Set<string>> {
  const ids = new Set<string>();
  for (let after = 0; ; ) {
    const query = { after_seq: after, limit: 200, order: 'asc' };
    const { data } = await as(token)('GET /v1/audit_logs', query);
    for (const row of data) if (row.action === 'tenant.created') ids.add(row.id);
    after = data.at(-1)?.seq ?? after;
    if (data.length < 200) return ids;
  }
}

async function setUp(t: TestContext, server: Running) {
  const founded = await server.as(BOOTSTRAP_TOKEN)('POST /v1/workspaces', {
    name: 'Acme',
    slug: 'acme',
  });
  const token = founded.secret_key.key;
  const good = await openReceiver(t);
  const half = await openReceiver(t, (_, count) => (count % 2 === 0 ? 500 : 204));
  const frozen = await openReceiver(t, () => null);
  for (const { url } of [good, half, frozen]) {
    const endpoint = { url, events: ['tenant.*'] };
    await server.as(token)('POST /v1/webhook_endpoints', endpoint);
  }
  return { token, good, half, frozen };
}

type Ground = Awaited<ReturnType<typeof setUp>>;

/**
 * Waits until the good receiver has everything, and compares all three receivers with the audit
 * log.
 */
async function compare({ token, good, half, frozen }: Ground, server: Running): Promise<void> {
  const expected = await committed(server, token);
  ok(expected.size >= CHANGES / 2, `${expected.size} changes were committed`);
  const rowsAt = ({ received }: typeof good) =>
    new Set(received.map(({ event }) => String(event.data.id)));
  await until(() => {
    const arrived = rowsAt(good);
    return [...expected].every((id) => arrived.has(id));
  }, WAIT_MS);
  for (const receiver of [good, half, frozen]) {
    const strange = [...rowsAt(receiver)].filter((id) => !expected.has(id));
    deepEqual(strange, [], 'a change that was rolled back is not sent');
  }
  const idOf = new Map<string, string>();
  for (const { id, event } of good.received) {
    const row = String(event.data.id);
    equal(idOf.get(row) ?? id, id, 'a repeated message has the same ID');
    idOf.set(row, id);
  }
  equal(new Set(idOf.values()).size, expected.size);
}

for (const store of stores) {
  test(`every committed change arrives, no matter which process is killed (${store})`, {
    skip: whyNot(store),
  }, async (t) => {
    const deployment = await deploy(t, { KEYRAIL_WEBHOOK_PRIVATE: 'on' }, store);
    const isOne = store === 'embedded';
    const api: Api = { current: await deployment.run(isOne ? 'start' : 'api') };
    const workers = isOne ? [] : [await deployment.run('worker'), await deployment.run('worker')];
    const ground = await setUp(t, api.current);
    const third = Math.ceil(CHANGES / 3);
    await writeAll(api, ground.token, { from: 0, to: third });
    await until(() => ground.good.received.length > 0, WAIT_MS);

    await ground.good.die();
    const writing = writeAll(api, ground.token, { from: third, to: 2 * third });
    await until(() => ground.frozen.received.length > 0, WAIT_MS);
    if (isOne) {
      await api.current.kill();
      await writing;
      await lapse(deployment);
      await ground.good.revive();
      api.current = await deployment.run('start');
    } else {
      await workers[0]?.kill();
      await writing;
      await ground.good.revive();
    }
    await writeAll(api, ground.token, { from: 2 * third, to: CHANGES });
    if (!isOne) await lapse(deployment);
    await compare(ground, api.current);
    for (const each of isOne ? [api.current] : [api.current, ...workers.slice(1)]) {
      equal((await each.stop()).code, 0, 'a worker with unanswered requests stops in time');
    }
  });
}
