// The order of claim and charge: a replay costs nothing, and a request denied by its limit does not
// keep its claim.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { until } from '@keyrail/testing/until.ts';
import { contextOf, receiver, rig, type Script } from '../../test/rig.ts';
import type { Admission, IncomingCall } from '../api/admission.ts';
import type { RateLimitRule } from '../api/context.ts';
import type { RouteOptions } from '../api/route.ts';
import { createTestPlane } from '../testing/control-plane.ts';
import { createAdmitter } from './admit.ts';

const rule: RateLimitRule = {
  id: 'burst',
  limit: 2,
  windowMs: 60_000,
  algorithm: 'fixed',
  scope: 'key',
};
const call = (headers: Record<string, string>, more: Partial<IncomingCall> = {}) => ({
  method: 'POST',
  path: '/charges',
  header: (name: string) => headers[name],
  bodyBytes: () => Buffer.from('{"amount":1}'),
  ...more,
});
const once = { 'idempotency-key': 'one' };
const idempotent: RouteOptions = { idempotency: true };
const ended = { status: 201, headers: { 'x-a': 'b' }, body: Buffer.from('made') };

async function open(t: TestContext, script?: Script) {
  const plane = createTestPlane({
    projectId: '01890000-0000-7000-8000-000000000001',
    now: () => 0,
    after: () => () => {},
    randomBytes: (size) => new Uint8Array(size),
  });
  const real = script && (await receiver(t, script));
  const parts = rig(real?.url ?? 'https://plane.test', {}, real ? {} : { fetch: plane.fetch });
  const verify = () => ({ allowed: true, context: contextOf({}), limits: [rule] }) as const;
  return { ...createAdmitter({ ...parts, verify }), received: real?.received ?? [] };
}

const said = (admission: Admission) => {
  if (admission.kind === 'admitted') return 'admitted';
  const { kind, status, body } = admission;
  return kind === 'replayed'
    ? `${status} ${body}`
    : `${status} ${JSON.parse(String(body)).error.code}`;
};

const settled = () => new Promise((resolve) => setImmediate(resolve));

test('a replay is not charged, and is sent even when the limit is exhausted', async (t) => {
  const { admit } = await open(t);
  const dear: RouteOptions = { ...idempotent, rateLimit: { cost: 2 } };
  const first = await admit(call(once), dear);
  ok(first.kind === 'admitted');
  equal(first.headers.ratelimit, '"burst";r=0;t=60');
  equal(said(await admit(call(once), dear)), '409 idempotency_in_progress');
  const other = call(once, { bodyBytes: () => Buffer.from('other') });
  equal(said(await admit(other, dear)), '422 idempotency_mismatch');
  first.settle(ended);
  await settled();
  const replayed = await admit(call(once), dear);
  equal(said(replayed), '201 made');
  ok(replayed.kind === 'replayed');
  equal(replayed.headers.ratelimit, undefined, 'nothing was charged');
  equal(said(await admit(call({ 'idempotency-key': 'two' }), dear)), '429 rate_limited');
});

test('a request denied by its limit does not keep its idempotency key', async (t) => {
  let cost = 3;
  const { admit } = await open(t);
  const attempt = () => admit(call(once), { ...idempotent, rateLimit: { cost } });
  equal(said(await attempt()), '429 rate_limited');
  await settled();
  equal(said(await attempt()), '429 rate_limited', 'the denial is not stored');
  await settled();
  cost = 1;
  const retried = await attempt();
  ok(retried.kind === 'admitted', said(retried));
  retried.settle(ended);
  await settled();
  equal(said(await attempt()), '201 made');
});

test('a claim is released if the counters are unreachable on a route that needs them', async (t) => {
  const { admit, received } = await open(t, ({ path }) => {
    if (path.endsWith('/claim')) {
      const lock = { lock_token: 'lock-token', lock_ms: 30_000, max_body_bytes: 1_000 };
      return { body: { object: 'idempotency_claim', state: 'execute', ...lock } };
    }
    return path.endsWith('/release') ? { body: { outcome: 'ok' } } : null;
  });
  const route = { ...idempotent, rateLimit: { onUnavailable: 'deny' } } as const;
  equal(said(await admit(call(once), route)), '503 unavailable');
  const steps = () => received.map(({ path }) => path.split('/').at(-1));
  await until(() => steps().includes('release'));
  deepEqual(steps(), ['claim', 'check', 'release']);
});
