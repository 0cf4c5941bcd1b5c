// Long polls: how they end, and that a thousand of them don't slow down other requests.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { poll, readAll } from '@keyrail/testing/feed.ts';
import { ask, codeOf, type Harness, harness } from '@keyrail/testing/harness.ts';
import { foreignKey, importedKey } from '@keyrail/testing/imports.ts';
import { appBeside, traced } from '@keyrail/testing/second-app.ts';
import { until } from '@keyrail/testing/until.ts';
import { systemClock } from '../../base/clock.ts';
import { Secret } from '../../base/secret.ts';
import type { Database } from '../../db/database.ts';
import { createMetrics } from '../../observe/metrics.ts';

const delta = 'GET /v1/policy/delta';
const revoke = 'POST /v1/keys/{id}/revoke';

/** Returns metrics settings for an app, and a function that counts the polls the app is holding. */
function metered() {
  const metrics = createMetrics(systemClock);
  let polls = () => 0;
  const readFrom: typeof metrics.readFrom = (sources) => {
    polls = () => sources.held().polls;
    metrics.readFrom(sources);
  };
  const metering = { metrics: { ...metrics, readFrom }, token: new Secret('unused') };
  return { metering, polls: () => polls() };
}

/**
 * Starts a second app that listens on a port. Also returns a function that builds a raw long poll.
 */
async function listening(t: TestContext, vendor: Harness) {
  const { metering, polls } = metered();
  const beside = appBeside(t, vendor.testApp, { metering });
  const port = Number(new URL(await beside.app.http.listen({ port: 0 })).port);
  const request = (project_id: string, since: number) =>
    [
      `GET /v1/policy/delta?project_id=${project_id}&since=${since}&wait_ms=30000 HTTP/1.1`,
      'host: test',
      `authorization: Bearer ${vendor.tokens.liveKey}`,
      '',
      '',
    ].join('\r\n');
  return { beside, port, request, polls };
}

/**
 * Checks whether a statement is the query that runs once a second and reads the versions of all
 * projects with held polls.
 */
const isLook = ({ text }: { text: string }) =>
  text.includes('project_versions\n      where project_id = any');

test('a held poll ends when its client disconnects', async (t) => {
  const vendor = await harness(t);
  const { project_id } = await vendor.given.key();
  const { port, request, polls } = await listening(t, vendor);
  const sockets = await Promise.all(
    Array.from({ length: 20 }, async () => {
      const socket = connect(port, '127.0.0.1');
      await once(socket, 'connect');
      socket.write(request(project_id, 2));
      return socket;
    }),
  );
  await until(() => polls() === sockets.length);
  for (const socket of sockets) socket.destroy();
  // Less than the 30 s after which the polls would end anyway.
  await until(() => polls() === 0, 20_000);
});

// Both polls wait 30 s. If the second poll were held too, the first one would time out with a 304
// before the test creates a key.
test('a poll beyond the workspace’s held-poll limit gets an immediate response', async (t) => {
  const vendor = await harness(t);
  const { project_id } = await vendor.given.key();
  const { version: since } = await readAll(vendor, { project_id });
  const { metering, polls } = metered();
  const input = { project_id, since, wait_ms: 30_000 };
  const headers = { authorization: `Bearer ${vendor.tokens.liveKey}` };
  const beside = appBeside(t, vendor.testApp, { metering, heldPollsMax: 1 });
  const held = ask(beside, delta, { input, headers });
  await until(() => polls() === 1);
  equal((await ask(beside, delta, { input, headers })).status, 304);
  await vendor.given.key({ project_id });
  equal((await held).status, 200);
});

test('a held poll is rejected if its secret key is revoked or expires during the wait', async (t) => {
  const { as, given, ask: askAs } = await harness(t);
  const { project_id, tenant_id } = await given.key();
  const poll = async (overlap_hours: number | null) => {
    const { id, key } = await as.liveKey('POST /v1/secret_keys', { env: 'live' });
    const snapshot = await as.liveKey('GET /v1/policy/snapshot', { project_id });
    const input = { project_id, since: snapshot?.version, wait_ms: 30_000 };
    const polled = askAs(delta, input, { authorization: `Bearer ${key}` });
    await sleep(200);
    if (overlap_hours === null) await as.liveKey('POST /v1/secret_keys/{id}/revoke', { id });
    else await as.liveKey('POST /v1/secret_keys/{id}/rotate', { id, overlap_hours });
    await as.liveKey('POST /v1/keys', { project_id, tenant_id, env: 'live' });
    return polled;
  };
  const revoked = await poll(null);
  deepEqual([revoked.status, codeOf(revoked)], [401, 'invalid_key']);
  equal((await poll(0)).status, 401);
  equal((await poll(1)).status, 200, 'a key within its overlap is accepted');
});

test('closing the server ends held polls immediately', async (t) => {
  const vendor = await harness(t);
  const { project_id } = await vendor.given.key();
  const { beside, port, request, polls } = await listening(t, vendor);
  const answers = Array.from({ length: 20 }, async () => {
    const socket = connect(port, '127.0.0.1');
    socket.write(request(project_id, 2));
    const [first] = await once(socket, 'data');
    await once(socket.resume(), 'close');
    return String(first).split('\r\n', 1)[0];
  });
  await until(() => polls() === answers.length);
  const beganAt = performance.now();
  await beside.app.close();
  const lines = await Promise.all(answers);
  ok(performance.now() - beganAt < 25_000, `closed after ${performance.now() - beganAt} ms`);
  deepEqual(new Set(lines), new Set(['HTTP/1.1 304 Not Modified']));
});

test('when the server closes, revoke requests still waiting for nodes get a response with the current state', async (t) => {
  const vendor = await harness(t);
  const { id, project_id } = await vendor.given.key();
  await readAll(vendor, { project_id, node: 'lagging' });
  const { db, take } = traced(vendor.testApp.db);
  const { app } = appBeside(t, vendor.testApp, { db, revokeWaitMsMax: 3000 });
  const looks = () => take().filter(({ text }) => text.includes('from policy_nodes')).length;
  const url = `${await app.http.listen({ port: 0 })}/v1/keys/${id}/revoke?wait=true`;
  const headers = { authorization: `Bearer ${vendor.tokens.liveKey}` };
  const asked = fetch(url, { method: 'POST', headers });
  while (looks() === 0) await sleep(10);

  const closed = app.close();
  const { propagation } = (await (await asked).json()) as Record<string, Record<string, unknown>>;
  await closed;
  deepEqual([propagation?.complete, propagation?.total_nodes], [false, 1]);
  const looked = looks();
  ok(looked <= 2, `${looked} queries while the server closed`);
});

test('a change made between reading the version and starting to wait is not missed', async (t) => {
  const vendor = await harness(t);
  const key = await vendor.given.key();
  const { testApp } = vendor;
  let isRevoked = false;
  // The revocation completes after the poll has read the version and before it starts to wait. The
  // query that reads versions once a second is disabled.
  const db: Database = {
    ...testApp.db,
    once: async (opening, statement) => {
      if (isLook(statement)) return { rows: [], count: 0 };
      const answer = await testApp.db.once(opening, statement);
      if (!isRevoked && statement.text.includes('acked_version')) {
        isRevoked = true;
        await callHere(revoke, { id: key.id });
      }
      return answer;
    },
  };
  const beside = appBeside(t, testApp, { db });
  const callHere = beside.as(vendor.tokens.liveKey);
  const input = { project_id: key.project_id, since: 2, wait_ms: 30_000 };
  const headers = { authorization: `Bearer ${vendor.tokens.liveKey}` };
  const beganAt = performance.now();
  const { status } = await ask(beside, delta, { input, headers });
  equal(status, 200);
  ok(performance.now() - beganAt < 25_000, 'the response came only after its timeout');
});

/** Wraps a database to count the statements and transactions running in it. */
function counted(db: Database) {
  let running = 0;
  const during = <T>(work: Promise<T>): Promise<T> => {
    running += 1;
    return work.finally(() => {
      running -= 1;
    });
  };
  const counting: Database = {
    ...db,
    once: (...given) => during(db.once(...given)),
    transaction: (...given) => during(db.transaction(...given)),
  };
  return { db: counting, running: () => running };
}

test('1,000 held polls use no database connections, and share a single read when a key changes', async (t) => {
  const vendor = await harness(t);
  const key = await vendor.given.key();
  const { project_id } = key;
  const { db, take } = traced(vendor.testApp.db);
  const { metering, polls } = metered();
  const busy = counted(db);
  const beside = appBeside(t, vendor.testApp, { db: busy.db, metering });
  const headers = { authorization: `Bearer ${vendor.tokens.liveKey}` };
  const asked = (node: string) => ({ project_id, since: 2, wait_ms: 30_000, node });
  const answers: Promise<{ status: number }>[] = [];
  const allHeld = () => until(() => polls() === answers.length && busy.running() === 0);
  // The polls are sent 100 at a time, because a slow machine would reject some of them if all 1,000
  // arrived together.
  for (let n = 0; n < 1000; n += 1) {
    answers.push(ask(beside, delta, { input: asked(`node-${n}`), headers }));
    if (answers.length % 100 === 0) await allHeld();
  }
  const call = beside.as(vendor.tokens.liveKey);
  const beganAt = performance.now();
  for (let n = 0; n < 20; n += 1) await call('GET /v1/workspace');
  t.diagnostic(`20 reads beside them within ${Math.round(performance.now() - beganAt)} ms`);

  await allHeld();
  take();
  await call(revoke, { id: key.id });
  const statuses = (await Promise.all(answers)).map(({ status }) => status);
  deepEqual(new Set(statuses), new Set([200]));
  const looks = take().filter(({ text }) => text.includes('from policy_changes'));
  equal(looks.length, 1);
});

test('other endpoints stay responsive while 200 revocations wait for nodes', async (t) => {
  const vendor = await harness(t);
  const { given } = vendor;
  const first = await given.key();
  const { project_id, tenant_id } = first;
  await readAll(vendor, { project_id, node: 'lagging' });
  const app = appBeside(t, vendor.testApp, { revokeWaitMsMax: 600_000 });
  const call = app.as(vendor.tokens.liveKey);
  const asked = Array.from({ length: 200 }, () => importedKey(foreignKey(), { tenant_id }));
  const { data: keys } = await call('POST /v1/keys/import', {
    project_id,
    env: 'live',
    keys: asked,
  });
  const revoked = [];
  let waiting = 0;
  for (const { id } of keys) {
    waiting += 1;
    const answered = call(revoke, { id, wait: true }).finally(() => {
      waiting -= 1;
    });
    revoked.push(answered);
    // Waits for one response before the next revocation, so that the revocations aren't all written
    // at the same time.
    await call('GET /v1/keys/{id}', { id });
  }
  const times: number[] = [];
  for (let n = 0; n < 40; n += 1) {
    const beganAt = performance.now();
    await call('GET /v1/workspace');
    times.push(performance.now() - beganAt);
  }
  const sorted = times.toSorted((a, b) => a - b);
  t.diagnostic(`p50 ${sorted[20]?.toFixed(1)} ms, slowest ${sorted.at(-1)?.toFixed(1)} ms`);
  equal(waiting, 200, 'revocations got a response before their node applied them');
  const { version } = await readAll(vendor, { project_id });
  await poll(vendor, delta, { project_id, since: version, node: 'lagging' });
  for (const { propagation } of await Promise.all(revoked)) equal(propagation?.complete, true);
});
