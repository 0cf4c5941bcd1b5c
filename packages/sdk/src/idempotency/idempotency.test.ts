// Claims and their locks from start to finish, over real HTTP with a manual clock.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { idempotencyEndpoints } from '@keyrail/protocol/endpoints/idempotency.ts';
import { until } from '@keyrail/testing/until.ts';
import { type Received, type Reply, receiver, rig, type Script } from '../../test/rig.ts';
import { createIdempotency, HOLD_MS_MAX, type RunLock } from './idempotency.ts';

const claimed = (more: object = {}): Reply => ({
  body: {
    object: 'idempotency_claim',
    state: 'execute',
    lock_token: 'a-lock-token-of-tests',
    lock_ms: 30_000,
    stolen: false,
    retry_after_ms: null,
    response: null,
    max_body_bytes: 262_144,
    ...more,
  },
});
const done = (outcome = 'ok'): Reply => ({ body: { object: 'idempotency_record', outcome } });
const answers =
  (other: Script = () => done()): Script =>
  (received) =>
    received.path.endsWith('/claim') ? claimed() : other(received);
const asked = {
  scopeHash: 'a'.repeat(64),
  fingerprint: 'b'.repeat(64),
  env: 'live',
  ttlMs: null,
} as const;

async function open(t: TestContext, script: Script = answers(), idempotencyTimeoutMs = 30_000) {
  const plane = await receiver(t, script);
  const parts = rig(plane.url, { idempotencyTimeoutMs });
  const idempotency = createIdempotency(parts);
  const steps = () => plane.received.map(({ path }) => path.replace('/v1/idempotency/', ''));
  const hold = async (): Promise<RunLock> => {
    const verdict = await idempotency.claim(asked);
    if (verdict.kind !== 'execute') throw new Error(verdict.kind);
    return verdict.lock;
  };
  return { ...parts, plane, steps, hold, ...idempotency };
}

const answer = { status: 201, headers: { 'x-a': 'b' }, body: Buffer.from('made') };
const bodyOf = (received: Received | undefined) => received?.body;

test("claim, heartbeat, complete and release requests match the API's schemas", async (t) => {
  const { hold, clock, plane, steps, drain } = await open(t);
  const first = await hold();
  await clock.pass(10_000);
  await until(() => steps().length === 2 && clock.timers() === 1);
  first.complete(answer);
  await until(() => clock.timers() === 0);
  (await hold()).release();
  await drain(1000);
  deepEqual(steps(), ['claim', 'heartbeat', 'complete', 'claim', 'release']);
  for (const { path, body } of plane.received) {
    const line = `POST ${path}` as keyof typeof idempotencyEndpoints;
    const schema = idempotencyEndpoints[line].body as { parse(it: unknown): unknown };
    schema.parse(body);
  }
  const { status, headers, body } = plane.received[2]?.body ?? {};
  deepEqual({ status, headers, body }, { ...answer, body: answer.body.toString('base64') });
});

for (const [state, expected] of Object.entries({
  mismatch: { kind: 'mismatch' },
  in_progress: { kind: 'in_progress', retryAfterMs: 1234 },
})) {
  test(`the verdict ${state} is passed on unchanged`, async (t) => {
    const retry_after_ms = state === 'in_progress' ? 1234 : null;
    const { claim } = await open(t, () => claimed({ state, lock_token: null, retry_after_ms }));
    deepEqual(await claim(asked), expected);
  });
}

for (const [name, reply] of Object.entries({
  'a broken connection': null,
  'a response that arrives too late': new Promise<never>(() => {}),
  'a 503': { status: 503 },
  'a wrong credential': { status: 401 },
  'an unknown state': claimed({ state: 'perhaps' }),
  'a missing lock token': claimed({ lock_token: null }),
  'an empty lock token': claimed({ lock_token: '' }),
  'a missing lock duration': claimed({ lock_ms: null }),
  'a replay without a response': claimed({ state: 'replay', response: null }),
  'a body that is not an object': { body: [1] },
})) {
  test(`${name} does not count as a verdict, and no lock is held`, async (t) => {
    const { claim, clock } = await open(t, () => reply, 100);
    deepEqual(await claim(asked), { kind: 'unavailable' });
    equal(clock.timers(), 0);
  });
}

test("a slow handler's lock is renewed three times per lock duration", async (t) => {
  const { hold, clock, steps } = await open(t);
  const held = await hold();
  for (let beat = 1; beat <= 9; beat += 1) {
    await clock.pass(10_000);
    await until(() => steps().length === 1 + beat && clock.timers() === 1);
  }
  held.release();
  await until(() => steps().at(-1) === 'release' && clock.timers() === 0);
  await clock.pass(60_000);
  equal(steps().length, 11, 'the heartbeats have stopped');
});

test('a failed heartbeat is retried before the next one is due', async (t) => {
  const { hold, clock, steps } = await open(
    t,
    answers(() => null),
  );
  await hold();
  for (const [beat, waitMs] of [10_000, 2_500, 2_500].entries()) {
    await clock.pass(waitMs - 1);
    equal(steps().length, 1 + beat, 'not before it is due');
    await clock.pass(1);
    await until(() => steps().length === 2 + beat && clock.timers() === 1);
  }
});

test('a heartbeat without a response is retried before the lock expires', async (t) => {
  const lockMs = 600;
  const { hold, clock, steps } = await open(t, ({ path }) =>
    path.endsWith('/claim') ? claimed({ lock_ms: lockMs }) : new Promise(() => {}),
  );
  await hold();
  const began = clock.monotonicMs();
  await clock.pass(lockMs / 3);
  await until(() => steps().length === 2 && clock.timers() === 1);
  await clock.pass(lockMs / 12);
  await until(() => steps().length === 3);
  ok(clock.monotonicMs() - began < lockMs / 2);
});

test('a lost lock is logged once, and no more heartbeats are sent for it', async (t) => {
  const { hold, clock, steps, logged } = await open(
    t,
    answers(() => done('lost')),
  );
  await hold();
  await clock.pass(10_000);
  await until(() => logged.length === 1);
  await clock.pass(600_000);
  deepEqual(steps(), ['claim', 'heartbeat']);
  deepEqual(logged, ['error keyrail: lost the lock on an idempotent request']);
});

test('a handler that never finishes does not hold its lock forever', async (t) => {
  const { hold, clock, steps, logged } = await open(t);
  await hold();
  for (let passed = 0; passed <= HOLD_MS_MAX; passed += 10_000) {
    await clock.pass(10_000);
    await until(() => clock.timers() === 1 || logged.length === 1);
  }
  const beats = steps().length;
  await clock.pass(HOLD_MS_MAX);
  equal(steps().length, beats);
  equal(logged.length, 1);
});

test('after an outage, a response is stored as soon as the control plane is back', async (t) => {
  const { hold, clock, steps, plane } = await open(
    t,
    answers(() => null),
  );
  (await hold()).complete(answer);
  for (const [at, waitMs] of [250, 500, 1000].entries()) {
    await until(() => steps().filter((step) => step === 'complete').length === at + 1);
    await until(() => clock.timers() === 2);
    await clock.pass(waitMs);
  }
  plane.script = answers();
  await until(() => clock.timers() === 2);
  await clock.pass(2000);
  await until(() => clock.timers() === 0);
  equal(steps().at(-1), 'complete');
  deepEqual(bodyOf(plane.received.at(-1))?.body, answer.body.toString('base64'));
});

test('a response that the control plane rejects is stored without its body', async (t) => {
  const refusing: Script = ({ body }) => (body.body === null ? done() : { status: 400 });
  const { hold, plane, steps, drain, logged } = await open(t, answers(refusing));
  (await hold()).complete(answer);
  await drain(1000);
  deepEqual(steps(), ['claim', 'complete', 'complete']);
  equal(bodyOf(plane.received[2])?.body, null);
  equal(bodyOf(plane.received[2])?.status, 201);
  deepEqual(logged, []);
});

test('only the first completion or release of a lock has an effect', async (t) => {
  const { hold, steps, drain, clock } = await open(t);
  const held = await hold();
  held.complete(answer);
  held.release();
  held.complete(answer);
  await drain(1000);
  await clock.pass(60_000);
  deepEqual(steps(), ['claim', 'complete']);
});

test('draining waits for pending responses, but not forever', async (t) => {
  const { hold, clock, drain, steps } = await open(
    t,
    answers(() => new Promise(() => {})),
  );
  (await hold()).complete(answer);
  await until(() => steps().length === 2);
  let isDrained = false;
  const drained = drain(3000).then(() => {
    isDrained = true;
  });
  await clock.pass(2999);
  ok(!isDrained);
  await clock.pass(1);
  await drained;
});

test("out-of-range numbers in the control plane's responses are clamped", async (t) => {
  const huge = { lock_ms: 1e300, max_body_bytes: 1e300 };
  const { hold, clock, steps } = await open(t, ({ path }) =>
    path.endsWith('/claim') ? claimed(huge) : done(),
  );
  equal((await hold()).bodyBytesMax, 4 * 1024 * 1024);
  await clock.pass(1_200_000);
  await until(() => steps().length === 2);
  const { claim } = await open(t, () => claimed({ state: 'in_progress', retry_after_ms: 1e300 }));
  deepEqual(await claim(asked), { kind: 'in_progress', retryAfterMs: 3_600_000 });
});
