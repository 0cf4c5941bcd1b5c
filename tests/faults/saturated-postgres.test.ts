// All connections in a pool are in use, either by transactions that don't end or by statements that
// wait for another session's lock.
import { equal, ok } from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { BOOTSTRAP_TOKEN, openCluster, whyNoCluster } from '@keyrail/testing/processes/homes.ts';
import { ask, codeOf } from '@keyrail/testing/processes/http.ts';
import { startServer } from '@keyrail/testing/processes/server.ts';
import { assertSaturationIsTold } from './saturation.ts';

const POOL = 10;
const WAITING_PER_CONNECTION_MAX = 50;
const RECOVERY_MS_MAX = 60_000;

const skip = whyNoCluster();
const cluster = skip ? null : await openCluster();

// The application reads this setting when it is loaded.
process.env.KEYRAIL_TEST_STORE = 'postgres';
if (cluster) process.env.KEYRAIL_TEST_POSTGRES = cluster.postgres.superuserUrl;
const { BOOTSTRAP_TOKEN: bootstrapToken, testApp } = await import('@keyrail/testing/test-app.ts');
after(() => cluster?.close()); // runs after the application closes its connections

test('an exhausted connection pool is reported in time and recovers immediately', {
  skip,
}, async (t) => {
  const readyMs = await assertSaturationIsTold({
    testApp: await testApp(),
    bootstrapToken,
    connections: POOL,
    waitingMax: POOL * WAITING_PER_CONNECTION_MAX,
  });
  t.diagnostic(`/readyz failed after ${Math.round(readyMs)} ms`);
});

test('statements that wait for a lock time out, and work again once the lock is released', {
  skip,
}, async (t) => {
  if (!cluster) return;
  const server = await startServer({ ...cluster.settings, KEYRAIL_DATABASE_CONNECTIONS: '3' });
  t.after(server.kill);
  const found = () =>
    ask(server.url, {
      method: 'POST',
      path: '/v1/workspaces',
      token: BOOTSTRAP_TOKEN,
      body: { name: 'Acme', slug: `acme-${randomUUID().slice(0, 18)}` },
    });
  const holder = await cluster.session();
  await holder.query('begin; lock table keyrail.workspaces in access exclusive mode');
  // The lock isn't released until all requests have received a response.
  const outcomes = await Promise.all(Array.from({ length: 30 }, found));
  for (const outcome of outcomes) {
    ok(outcome.kind === 'answered', JSON.stringify(outcome));
    equal(outcome.status, 503);
    equal(codeOf(outcome.body), 'unavailable');
  }
  t.diagnostic(`slowest ${Math.round(Math.max(...outcomes.map(({ ms }) => ms)))} ms`);
  await holder.query('rollback');
  await holder.end();
  const releasedAt = performance.now();
  for (;;) {
    const outcome = await found();
    if (outcome.kind === 'answered' && outcome.status === 201) break;
    ok(performance.now() - releasedAt < RECOVERY_MS_MAX, JSON.stringify(outcome));
    await sleep(20);
  }
});
