// Concurrent batches: the budget is never exceeded, no event is lost or counted twice, and batches
// that update the same keys don't deadlock.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import {
  type Caller,
  type Harness,
  harness,
  type Input,
  Refusal,
} from '@keyrail/testing/harness.ts';
import { appBeside } from '@keyrail/testing/second-app.ts';
import { chanceFrom } from '@keyrail/testing/seeded-scheduler.ts';
import { batchOf, eventOf } from '@keyrail/testing/telemetry.ts';
import { toNextMinute } from '@keyrail/testing/test-app.ts';
import type { AppParts } from '../../app.ts';

const line = 'POST /v1/ingest/batch';

const requestsOf = async ({ as }: Harness, ids: string[]): Promise<number> => {
  const usages = await Promise.all(
    ids.map((id) => as.liveKey('GET /v1/keys/{id}/usage', { id, days: 90 })),
  );
  return usages.flatMap(({ data }) => data).reduce((sum, { requests }) => sum + requests, 0);
};

/**
 * Returns callers of several servers that share a database, because a single server never records
 * batches in parallel.
 */
function fleet(t: TestContext, app: Harness, changes: Partial<AppParts> = {}): () => Caller {
  const servers = [1, 2, 3].map(() => appBeside(t, app.testApp, changes).as(app.tokens.liveKey));
  let calls = 0;
  return () => {
    calls += 1;
    return servers[calls % servers.length] ?? app.as.liveKey;
  };
}

/** Returns the number of events accepted; 0 if the batch exceeded the budget. */
const accepted = (call: Caller, batch: Input): Promise<number> =>
  call(line, batch).then(
    (receipt) => receipt.accepted,
    (error: unknown) => {
      if (error instanceof Refusal && error.answer.status === 429) return 0;
      throw error;
    },
  );

async function keysOf({ given }: Harness, count: number) {
  const first = await given.key();
  const { project_id, tenant_id } = first;
  const others = Array.from({ length: count - 1 }, () => given.key({ project_id, tenant_id }));
  return [first, ...(await Promise.all(others))];
}

test('fifty concurrent batches never exceed the budget', async (t) => {
  const app = await harness(t);
  toNextMinute(app.clock);
  const next = fleet(t, app, { ingestEventsPerMinute: 100 });
  const [key] = await keysOf(app, 1);
  ok(key);
  const sizes = Array.from({ length: 50 }, (_, at) => 1 + (at % 7));
  const got = await Promise.all(
    sizes.map((size) => accepted(next(), batchOf(Array(size).fill(eventOf(key, app.clock.now()))))),
  );
  const total = got.reduce((sum, count) => sum + count, 0);
  ok(total <= 100, `${total} events were accepted`);
  ok(total > 100 - 7, `only ${total} events were accepted`);
  equal(await requestsOf(app, [key.id]), total);
});

test('concurrent copies of a batch are counted only once, and all get the same receipt', async (t) => {
  const app = await harness(t);
  const next = fleet(t, app);
  const [key] = await keysOf(app, 1);
  ok(key);
  for (let round = 0; round < 5; round += 1) {
    const batch_id = randomUUID();
    const events = Array(3).fill(eventOf(key, app.clock.now()));
    const batch = batchOf(events, { batch_id, events_dropped: round });
    const receipts = await Promise.all(Array.from({ length: 8 }, () => next()(line, batch)));
    for (const receipt of receipts) deepEqual(receipt, receipts[0]);
    equal(await requestsOf(app, [key.id]), 3 * (round + 1));
  }
});

test('concurrent batches for the same keys are all accepted, and the totals add up', async (t) => {
  const app = await harness(t);
  const next = fleet(t, app);
  const keys = await keysOf(app, 12);
  const chance = chanceFrom(7);
  const days = [0, 1, 2, 31, 45].map(
    (age) => new Date(app.clock.now().getTime() - age * 86_400_000),
  );
  let sent = 0;
  const batches = Array.from({ length: 40 }, () => {
    const events = Array.from({ length: 30 }, () =>
      eventOf(chance.pick(keys), chance.pick(days), {
        denial_reason: chance.pick([null, null, 'rate_limited', 'invalid_key']),
      }),
    );
    sent += events.length;
    return batchOf(events);
  });
  const got = await Promise.all(batches.map((batch) => accepted(next(), batch)));
  equal(
    got.reduce((sum, count) => sum + count, 0),
    sent,
  );
  equal(
    await requestsOf(
      app,
      keys.map(({ id }) => id),
    ),
    sent,
  );
  const overview = await app.as.liveKey('GET /v1/usage/overview', { interval: 'day', count: 35 });
  const denied = overview.total.denials.reduce((sum, { requests }) => sum + requests, 0);
  ok(denied > 0 && denied < overview.total.requests);
});

test('resent batches keep their receipts when they are recorded together with new ones', async (t) => {
  const app = await harness(t);
  const [key] = await keysOf(app, 1);
  ok(key);
  const make = (count: number) =>
    batchOf(Array(count).fill(eventOf(key, app.clock.now())), { batch_id: randomUUID() });
  const old = [1, 2, 3].map(make);
  for (const batch of old) await app.as.liveKey(line, batch);
  const fresh = [10, 20, 30, 40].map(make);
  const unnamed = batchOf(Array(7).fill(eventOf(key, app.clock.now())));
  const together = [...fresh, ...old, ...fresh.slice(0, 2), unnamed];
  const got = await Promise.all(together.map((batch) => accepted(app.as.liveKey, batch)));
  deepEqual(got, [10, 20, 30, 40, 1, 2, 3, 10, 20, 7]);
  equal(await requestsOf(app, [key.id]), 6 + 100 + 7);
});
