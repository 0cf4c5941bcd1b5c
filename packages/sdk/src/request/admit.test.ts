// One request on its way through the decision, limits and idempotency, over real HTTP to a scripted
// control plane.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { until } from '@keyrail/testing/until.ts';
import {
  contextOf,
  KEY_ID,
  receiver,
  rig,
  type Script,
  TENANT_ID,
  unverifiedContext,
} from '../../test/rig.ts';
import type { Admission, IncomingCall } from '../api/admission.ts';
import type { RateLimitRule, RequestContext, UnverifiedContext } from '../api/context.ts';
import type { Decision } from '../api/decision.ts';
import type { RouteOptions } from '../api/route.ts';
import { createTestPlane } from '../testing/control-plane.ts';
import { createAdmitter } from './admit.ts';
import { BodyTooLarge } from './body.ts';
import { ABANDONED_MS } from './settlement.ts';

const rule: RateLimitRule = {
  id: 'burst',
  limit: 2,
  windowMs: 60_000,
  algorithm: 'fixed',
  scope: 'key',
};
const call = (headers: Record<string, string> = {}, more: Partial<IncomingCall> = {}) => ({
  method: 'POST',
  path: '/charges',
  query: 'a=1',
  header: (name: string) => headers[name],
  bodyBytes: () => Buffer.from('{"amount":1}'),
  ...more,
});
const once = { 'idempotency-key': 'one' };
type AnyDecision = Decision<RequestContext | UnverifiedContext>;

const allowed = (): AnyDecision => ({ allowed: true, context: contextOf({}), limits: [] });

type Opened = { verify?: () => AnyDecision; script?: Script; sees?: boolean };

async function open(t: TestContext, { verify = allowed, script }: Opened = {}) {
  const plane = createTestPlane({
    projectId: '01890000-0000-7000-8000-000000000001',
    now: () => 0,
    after: () => () => {},
    randomBytes: (size) => new Uint8Array(size),
  });
  const real = script && (await receiver(t, script));
  const parts = rig(real?.url ?? 'https://plane.test', {}, real ? {} : { fetch: plane.fetch });
  const made = createAdmitter({ ...parts, verify });
  return { ...made, ...parts, plane, received: real?.received ?? [] };
}

const said = (admission: Admission) => {
  if (admission.kind === 'admitted') return 'admitted';
  const { kind, status, body } = admission;
  return kind === 'replayed'
    ? `${status} ${body}`
    : `${status} ${JSON.parse(String(body)).error.code}`;
};

test('a request with a denied key is rejected, and telemetry reports the reason', async (t) => {
  const key = {
    keyId: KEY_ID,
    tenantId: TENANT_ID,
    env: 'live',
    displayPrefix: 'kr_live_x',
  } as const;
  const missingScopes = ['invoices:write'];
  const denied = { allowed: false, reason: 'insufficient_scope', degraded: true, key } as const;
  const { admit, close, plane } = await open(t, { verify: () => ({ ...denied, missingScopes }) });
  const refused = await admit(call(), { name: '/charges/:id' });
  equal(said(refused), '403 insufficient_scope');
  ok(refused.kind === 'refused');
  deepEqual(JSON.parse(String(refused.body)).error.missing_scopes, missingScopes);
  await close();
  const { status, denial_reason, key_id, degraded, route, path } = Object(plane.events[0]);
  deepEqual(
    { status, denial_reason, key_id, degraded, route, path },
    {
      status: 403,
      denial_reason: 'insufficient_scope',
      key_id: KEY_ID,
      degraded: true,
      route: '/charges/:id',
      path: '/charges/:id',
    },
  );
});

test('rate limits are charged, reported in headers and enforced', async (t) => {
  const context = contextOf({});
  const { admit } = await open(t, { verify: () => ({ allowed: true, context, limits: [rule] }) });
  const first = await admit(call());
  ok(first.kind === 'admitted');
  deepEqual(first.headers, {
    'ratelimit-policy': '"burst";q=2;w=60',
    ratelimit: '"burst";r=1;t=60',
  });
  equal(context.rateLimit?.[0]?.remaining, 1);
  await admit(call());
  const third = await admit(call());
  equal(said(third), '429 rate_limited');
  ok(third.kind === 'refused');
  equal(third.headers['retry-after'], '60');
  equal(third.headers.ratelimit, '"burst";r=0;t=60');
});

test('a route can skip the rate limits or have a higher cost', async (t) => {
  const { admit } = await open(t, {
    verify: () => ({ allowed: true, context: contextOf({}), limits: [rule] }),
  });
  for (let turn = 0; turn < 5; turn += 1) {
    const free = await admit(call(), { rateLimit: false });
    ok(free.kind === 'admitted');
    deepEqual([free.headers, free.context?.rateLimit], [{}, []]);
  }
  equal(said(await admit(call(), { rateLimit: { cost: 3 } })), '429 rate_limited');
  equal(said(await admit(call(), { rateLimit: { cost: 2 } })), 'admitted');
});

test("when the counters are unreachable, the route's onUnavailable option decides", async (t) => {
  const context = contextOf({});
  const { admit } = await open(t, {
    verify: () => ({ allowed: true, context, limits: [rule] }),
    script: () => null,
  });
  equal(said(await admit(call())), 'admitted');
  equal(context.rateLimit, null);
  const strict: RouteOptions = { rateLimit: { onUnavailable: 'deny' } };
  equal(said(await admit(call(), strict)), '503 unavailable');
});

test('a route with the skip option allows every request without calling the control plane', async (t) => {
  const verify = () => {
    throw new Error('must not be called');
  };
  const { admit, close, plane } = await open(t, { verify });
  const admission = await admit(call(), { skip: true });
  ok(admission.kind === 'admitted');
  equal(admission.context, null);
  admission.settle({ status: 200 });
  await close();
  equal(plane.events.length, 0);
});

test('an internal error denies the request and is not thrown', async (t) => {
  const verify = () => {
    throw new Error('a fault');
  };
  const { admit, logged } = await open(t, { verify });
  equal(said(await admit(call())), '503 unavailable');
  equal(logged.length, 1);
});

const idempotent: RouteOptions = { idempotency: true };
const ended = { status: 201, headers: { 'x-a': 'b' }, body: Buffer.from('made') };

test('a repeated request gets the same response as the first', async (t) => {
  const { admit } = await open(t);
  const first = await admit(call(once), idempotent);
  ok(first.kind === 'admitted');
  equal(first.captureBytesMax, 262_144);
  equal(said(await admit(call(once), idempotent)), '409 idempotency_in_progress');
  first.settle(ended);
  await new Promise((resolve) => setImmediate(resolve));
  const second = await admit(call(once), idempotent);
  equal(said(second), '201 made');
  ok(second.kind === 'replayed');
  deepEqual(second.headers, { 'x-a': 'b', 'idempotency-replayed': 'true' });
});

test('a reused idempotency key gets a 409 while the first request runs, and a 422 with a different body', async (t) => {
  const { admit } = await open(t);
  const first = await admit(call(once), idempotent);
  ok(first.kind === 'admitted');
  const busy = await admit(call(once), idempotent);
  ok(busy.kind === 'refused');
  equal(busy.headers['retry-after'], '5');
  const other = call(once, { bodyBytes: () => Buffer.from('{"amount":2}') });
  equal(said(await admit(other, idempotent)), '422 idempotency_mismatch');
  equal(said(await admit(call({ 'idempotency-key': 'two' }), idempotent)), 'admitted');
  equal(
    said(await admit(call(), idempotent)),
    'admitted',
    'a request without an idempotency key is not claimed',
  );
  equal(said(await admit(call(once))), 'admitted', 'other routes ignore the idempotency key');
});

test('an invalid idempotency key, or a missing required one, is rejected', async (t) => {
  const { admit } = await open(t);
  for (const key of ['', 'x'.repeat(256), 'a\u0007']) {
    equal(said(await admit(call({ 'idempotency-key': key }), idempotent)), '400 invalid_request');
  }
  const required: RouteOptions = { idempotency: { required: true } };
  equal(said(await admit(call(), required)), '400 invalid_request');
});

test('a body that is too large or cut off is rejected before anything is claimed', async (t) => {
  const { admit, received } = await open(t, { script: () => null });
  const failing = (error: Error) => call(once, { bodyBytes: () => Promise.reject(error) });
  const large = await admit(failing(new BodyTooLarge()), idempotent);
  equal(said(large), '413 payload_too_large');
  equal(said(await admit(failing(new Error('reset')), idempotent)), '400 invalid_request');
  deepEqual(received, []);
});

test('when claims are unavailable, a route fails closed unless it opts out', async (t) => {
  const { admit } = await open(t, { script: () => null });
  equal(said(await admit(call(once), idempotent)), '503 unavailable');
  const lenient: RouteOptions = { idempotency: { onUnavailable: 'allow' } };
  equal(said(await admit(call(once), lenient)), 'admitted');
});

for (const end of [{ failed: true }, { status: 500 }, { status: 503, body: null }] as const) {
  test(`after a handler ends with ${JSON.stringify(end)}, a retry runs it again`, async (t) => {
    const { admit, close } = await open(t);
    const first = await admit(call(once), idempotent);
    ok(first.kind === 'admitted');
    first.settle(end);
    await close();
    equal(said(await admit(call(once), idempotent)), 'admitted');
  });
}

test('after a caller disconnects, no retry runs while the handler is still running', async (t) => {
  const { admit, clock, plane } = await open(t);
  const first = await admit(call(once), idempotent);
  ok(first.kind === 'admitted');
  first.settle({ gone: true });
  await clock.pass(ABANDONED_MS - 1);
  equal(said(await admit(call(once), idempotent)), '409 idempotency_in_progress');
  first.settle(ended);
  await clock.pass(1);
  equal(said(await admit(call(once), idempotent)), '201 made');
  await clock.pass(60_000);
  await until(() => plane.events.length === 3);
  deepEqual(
    plane.events.map((event) => Object(event).status),
    [499, 409, 201],
  );
});

test('if a handler gives up because its caller disconnected, a retry runs later', async (t) => {
  const { admit, clock } = await open(t);
  const first = await admit(call(once), idempotent);
  ok(first.kind === 'admitted');
  first.settle({ gone: true });
  first.settle({ gone: true });
  await clock.pass(ABANDONED_MS);
  equal(said(await admit(call(once), idempotent)), 'admitted');
});

test('identical idempotency keys from different tenants, API keys or routes do not collide', async (t) => {
  let context: RequestContext | UnverifiedContext = contextOf({});
  const { admit } = await open(t, { verify: () => ({ allowed: true, context, limits: [] }) });
  equal(said(await admit(call(once), idempotent)), 'admitted');
  const others = [{ tenantId: KEY_ID }, { keyId: TENANT_ID }, { env: 'test' as const }];
  for (const other of [...others.map(contextOf), unverifiedContext]) {
    context = other;
    equal(said(await admit(call(once), idempotent)), 'admitted', JSON.stringify(other));
  }
  context = contextOf({});
  equal(said(await admit(call(once), { ...idempotent, name: 'other' })), 'admitted');
});

test('a request is admitted synchronously unless it needs the control plane', async (t) => {
  const { admit } = await open(t);
  const immediate = admit(call(), {});
  ok(!(immediate instanceof Promise));
  equal(said(immediate), 'admitted');
  const promised = admit(call(once), idempotent);
  ok(promised instanceof Promise);
  equal(said(await promised), 'admitted');
});

test('an internal error during synchronous admission denies the request and is not thrown', async (t) => {
  const verify = () => {
    throw new Error('a fault of ours');
  };
  const { admit } = await open(t, { verify });
  const immediate = admit(call(), {});
  ok(!(immediate instanceof Promise));
  equal(said(immediate), '503 unavailable');
});
