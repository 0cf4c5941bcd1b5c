// The worker: several can run in parallel, /status reports whether any is running, and stopping one
// loses no work.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Harness, harness } from '@keyrail/testing/harness.ts';
import { queuedFor, sendAll } from '@keyrail/testing/outbox.ts';
import { callersOf, signUp } from '@keyrail/testing/people.ts';
import { storeName, type TestApp } from '@keyrail/testing/test-app.ts';
import { until } from '@keyrail/testing/until.ts';
import { createIdMaker } from './base/ids.ts';
import { systemRandomBytes } from './base/random.ts';
import { openPostgres } from './db/postgres.ts';
import { openWork, openWorkIn } from './doors/work.ts';
import type { Message } from './features/mail/transport.ts';
import { startWorker, type Worker, type WorkerParts } from './worker.ts';

const SECOND_MS = 1000;
const HOUR_MS = 3_600_000;
const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

function start(t: TestContext, { app }: TestApp, changes: Partial<WorkerParts> = {}): Worker {
  const worker = startWorker({ ...app.worker, ...changes });
  t.after(worker.stop);
  return worker;
}

const statusOf = async ({ as }: Harness) => {
  const { status, components } = await as.nobody('GET /status');
  return [components.worker, status];
};

async function queued(vendor: Harness, times: number): Promise<string> {
  const email = await signUp(callersOf(vendor));
  for (let n = 1; n < times; n += 1)
    await vendor.as.nobody('POST /v1/auth/password_resets', { email });
  return email;
}

const allSent = async (vendor: Harness, email: string) =>
  (await queuedFor(vendor.testApp, email)).every(({ sentAt }) => sentAt !== null);

test('/status reports the worker as unknown, then ok, then down after 30 s without a heartbeat', async (t) => {
  const vendor = await harness(t);
  // The store may still have heartbeats from workers in other test files.
  await vendor.testApp.beyond('delete from keyrail.worker_beats');
  deepEqual(await statusOf(vendor), ['unknown', 'ok']);
  const worker = start(t, vendor.testApp);
  await until(async () => (await statusOf(vendor))[0] === 'ok');
  deepEqual(await statusOf(vendor), ['ok', 'ok']);
  await worker.stop();
  vendor.clock.shift(20 * SECOND_MS);
  deepEqual(await statusOf(vendor), ['ok', 'ok']);
  vendor.clock.shift(11 * SECOND_MS);
  deepEqual(await statusOf(vendor), ['down', 'down']);
  deepEqual((await vendor.as.nobody('GET /status')).components, {
    api: 'ok',
    database: 'ok',
    redis: 'not_configured',
    worker: 'down',
    backup: 'not_configured',
  });
  start(t, vendor.testApp);
  await until(async () => (await statusOf(vendor))[0] === 'ok');
});

test('a worker that last ran while the clock was ahead does not count as running', async (t) => {
  const vendor = await harness(t);
  await vendor.testApp.beyond('delete from keyrail.worker_beats');
  vendor.clock.shift(HOUR_MS);
  const worker = start(t, vendor.testApp);
  await until(async () => (await statusOf(vendor))[0] === 'ok');
  await worker.stop();
  vendor.clock.shift(-HOUR_MS);
  deepEqual(await statusOf(vendor), ['down', 'down']);
  const another = start(t, vendor.testApp);
  await until(async () => (await statusOf(vendor))[0] === 'ok');
  await another.stop();
  vendor.clock.shift(HOUR_MS);
  deepEqual(await statusOf(vendor), ['down', 'down'], 'when the clock has caught up');
});

test('the worker sends a queued email on its own, without another request to the server', async (t) => {
  const vendor = await harness(t);
  start(t, vendor.testApp);
  await sleep(200);
  const email = await queued(vendor, 1);
  const began = performance.now();
  await until(() => allSent(vendor, email));
  t.diagnostic(`${Math.round(performance.now() - began)} ms`);
});

/**
 * A worker's parts, as if it ran in a different process: on PostgreSQL, it has its own connections.
 */
async function another({
  app,
  db,
  clock,
}: TestApp): Promise<Partial<WorkerParts> & { close(): void }> {
  if (storeName === 'embedded') return { close: () => {} };
  const scope = { workspaceId: null, envs: [] };
  const opening = { role: 'kr_worker' as const, scope, deadline: { remainingMs: () => 3000 } };
  const asked = { text: 'select current_database()::text as name', values: [] };
  const url = new URL(process.env.KEYRAIL_TEST_POSTGRES ?? '');
  url.pathname = `/${(await db.once(opening, asked)).rows[0]?.name}`;
  url.username = 'keyrail';
  const options = { url: url.toString(), clock, connectionsMax: 5, onIdleError: () => {} };
  const own = openPostgres(options);
  const newId = createIdMaker(clock, systemRandomBytes);
  return {
    ...app.worker,
    work: openWork(own, newId),
    workIn: openWorkIn(own, newId),
    newId,
    close: () => own.close(),
  };
}

test('three concurrent workers send each email once', async (t) => {
  const MAILS = 24;
  const vendor = await harness(t);
  const sent: string[] = [];
  const transport = {
    send: async ({ id }: Message) => {
      await sleep(5);
      sent.push(id);
    },
    close: () => {},
  };
  const { close, ...parts } = await another(vendor.testApp);
  t.after(close);
  for (const changes of [{}, parts, parts]) start(t, vendor.testApp, { ...changes, transport });
  const email = await queued(vendor, MAILS);
  await until(() => allSent(vendor, email));
  equal(sent.length, MAILS);
  equal(new Set(sent).size, MAILS);
});

test('a stopping worker finishes its current message and leaves the rest queued', async (t) => {
  const vendor = await harness(t);
  const email = await queued(vendor, 4);
  const began = Promise.withResolvers<void>();
  const accepted = Promise.withResolvers<void>();
  const transport = {
    send: () => {
      began.resolve();
      return accepted.promise;
    },
    close: () => {},
  };
  const worker = start(t, vendor.testApp, { transport });
  await began.promise;
  const stopping = worker.stop();
  accepted.resolve();
  await stopping;
  const rows = await queuedFor(vendor.testApp, email);
  deepEqual(
    rows.map(({ sentAt, attempts, claim }) => [sentAt !== null, attempts, claim]),
    [[true, 1, null], ...Array(3).fill([false, 0, null])],
  );
  equal(await sendAll(vendor.testApp), 3, 'the queued messages are due immediately');
});

test('a hanging message does not prevent a worker from stopping', async (t) => {
  const vendor = await harness(t);
  const email = await queued(vendor, 1);
  let isHanging = false;
  let isClosed = false;
  const transport = {
    send: () => {
      isHanging = true;
      return new Promise<void>(() => {});
    },
    close: () => {
      isClosed = true;
    },
  };
  const worker = startWorker({ ...vendor.testApp.app.worker, transport });
  await until(() => isHanging);
  await worker.stop();
  ok(isClosed);
  equal(await sendAll(vendor.testApp), 0, 'the claim still holds');
  vendor.clock.shift(121 * SECOND_MS);
  equal(await sendAll(vendor.testApp), 1);
  ok(await allSent(vendor, email));
});

test('a failed job is logged and retried', async (t) => {
  const vendor = await harness(t);
  const warned: unknown[] = [];
  let faults = 6;
  const { work } = vendor.testApp.app.worker;
  start(t, vendor.testApp, {
    log: { ...quiet, warn: (fields: object) => void warned.push(Reflect.get(fields, 'job')) },
    work: (step) => {
      faults -= 1;
      return faults >= 0 ? Promise.reject(new Error('the store is down')) : work(step);
    },
  });
  const email = await queued(vendor, 1);
  await until(() => allSent(vendor, email));
  ok(warned.includes('send-mail'));
  ok(warned.includes('beat'));
});

test('a job that keeps failing is logged once, and once more when it recovers', async (t) => {
  const { testApp } = await harness(t);
  const lines: string[] = [];
  const record = (...[fields, text]: unknown[]) =>
    lines.push(`${/"job":"([^"]+)"/.exec(JSON.stringify(fields))?.[1]}: ${text}`);
  const log = { ...quiet, warn: record, info: record };
  let isAway = true;
  let tries = 0;
  const work: typeof testApp.app.worker.work = (body) => {
    tries += 1;
    return isAway ? Promise.reject(new Error('refused')) : testApp.app.worker.work(body);
  };
  start(t, testApp, { work, log });
  // Every job starts immediately. After a failure, the send-mail job is retried every second.
  await until(async () => tries >= 25);
  const ofMail = () => lines.filter((line) => line.startsWith('send-mail'));
  deepEqual(ofMail(), ['send-mail: a job failed']);
  isAway = false;
  await until(async () => ofMail().length > 1);
  deepEqual(ofMail(), ['send-mail: a job failed', 'send-mail: a job recovered']);
});
