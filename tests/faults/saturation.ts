// All of a store's connections are in use by transactions that don't end. Other callers are turned
// away in time, and are served as soon as one of these transactions ends.
import { deepEqual, equal, ok } from 'node:assert/strict';
import type { App } from '@keyrail/server/app.ts';
import { deadlineAfter } from '@keyrail/server/base/deadline.ts';
import type { TestApp } from '@keyrail/testing/test-app.ts';
import { until } from '@keyrail/testing/until.ts';

const HELD_MS_MAX = 60_000;

type Reply = { status: number; body: Record<string, unknown>; ms: number; answeredAt: number };

async function holdAll({ testApp, connections }: Saturable): Promise<{ release(): Promise<void> }> {
  const end = Promise.withResolvers<void>();
  const scope = { workspaceId: null, envs: [] };
  const held: Promise<null>[] = [];
  for (let taken = 0; taken < connections; taken += 1) {
    const begun = Promise.withResolvers<void>();
    const deadline = deadlineAfter(HELD_MS_MAX);
    const holding = testApp.db.transaction({ role: 'kr_read', scope, deadline }, async () => {
      begun.resolve();
      await end.promise;
      return { kind: 'rollback' as const, result: null };
    });
    held.push(holding);
    await Promise.race([begun.promise, holding]);
  }
  return {
    release: async () => {
      end.resolve();
      await Promise.all(held);
    },
  };
}

/** A store under test, how many connections it has, and how many callers may wait for one. */
export type Saturable = {
  testApp: TestApp;
  bootstrapToken: string;
  connections: number;
  waitingMax: number;
};

async function tell(
  { app, bootstrapToken }: Saturable & { app: App },
  method: 'GET' | 'POST',
  url: string,
): Promise<Reply> {
  const began = performance.now();
  const headers = { authorization: `Bearer ${bootstrapToken}`, 'content-type': 'application/json' };
  const payload = { name: 'Acme', slug: `acme-${crypto.randomUUID().slice(0, 18)}` };
  const { statusCode, body } = await app.http.inject({
    method,
    url,
    ...(method === 'POST' ? { headers, payload } : {}),
  });
  const answeredAt = performance.now();
  return { status: statusCode, body: JSON.parse(body), ms: answeredAt - began, answeredAt };
}

/** Returns how long it took until /readyz failed. */
export async function assertSaturationIsTold(given: Saturable): Promise<number> {
  const { variant, strictDb } = given.testApp;
  const store = { ...given, app: variant({ db: strictDb }) };
  equal((await tell(store, 'GET', '/readyz')).status, 200);
  const { release } = await holdAll(store);
  try {
    const readyMs = await assertRefused(store);
    await release();
    equal((await tell(store, 'GET', '/readyz')).status, 200);
    equal((await tell(store, 'POST', '/v1/workspaces')).status, 201);
    return readyMs;
  } finally {
    await release();
    await store.app.http.close();
  }
}

async function assertRefused(store: Saturable & { app: App }): Promise<number> {
  const found = () => tell(store, 'POST', '/v1/workspaces');
  const writes = Array.from({ length: store.waitingMax - 1 }, found);
  await until(() => store.testApp.db.poolUse().waiting === writes.length);
  const [unready, surplus, health, ...refused] = await Promise.all([
    tell(store, 'GET', '/readyz'),
    found(),
    tell(store, 'GET', '/healthz'),
    ...writes,
  ]);

  // All requests get a response while the connections are still in use.
  equal(unready.status, 503);
  const { status, database } = unready.body;
  deepEqual({ status, database }, { status: 'unavailable', database: 'unavailable' });
  equal(health.status, 200);
  for (const refusal of [surplus, ...refused]) {
    equal(refusal.status, 503, JSON.stringify(refusal.body));
  }
  // A caller that finds the queue full is turned away sooner than those already waiting in it.
  const firstWaited = Math.min(...refused.map(({ answeredAt }) => answeredAt));
  ok(surplus.answeredAt < firstWaited, `the surplus request waited ${surplus.ms} ms`);
  ok(health.answeredAt < firstWaited, `/healthz took ${health.ms} ms`);
  return unready.ms;
}
