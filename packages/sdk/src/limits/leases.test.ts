// Leases over real HTTP: when they are requested, spent, topped up and returned, and when they are
// not used.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { ratelimitEndpoints } from '@keyrail/protocol/endpoints/ratelimit.ts';
import { until } from '@keyrail/testing/until.ts';
import { contextOf, KEY_ID, type Received, type Reply, receiver, rig } from '../../test/rig.ts';
import type { RateLimitRule } from '../api/context.ts';
import { createLimits } from './limits.ts';

const rule: RateLimitRule = {
  id: 'hour',
  limit: 10_000,
  windowMs: 3_600_000,
  algorithm: 'sliding',
  scope: 'key',
};
const PART_MS = 225_000;
const LEASED = { cost: 1, leases: true };

/** Creates a counter that grants every requested lease, as long as units remain. */
function counter(limit = 10_000, expiresInMs = PART_MS) {
  let used = 0;
  let leases = 0;
  const reply = ({ path, body }: Received): Reply => {
    const policies = () => [
      { id: 'hour', limit, window_ms: 3_600_000, remaining: limit - used, reset_ms: 3_600_000 },
    ];
    if (path === '/v1/ratelimit/return') {
      used -= Number(body.unused);
      return {
        body: { object: 'ratelimit_lease', lease_id: body.lease_id, returned: body.unused },
      };
    }
    const known = { limited_policy: null, retry_after_seconds: null, store: 'memory' };
    const wanted = Number(body.want ?? body.cost);
    const granted = path === '/v1/ratelimit/lease' ? Math.min(wanted, limit - used) : 0;
    const allowed = used + wanted <= limit;
    used += path === '/v1/ratelimit/lease' ? granted : allowed ? wanted : 0;
    leases += granted > 0 ? 1 : 0;
    const lease = { lease_id: `l${leases}.${granted}`, granted, expires_in_ms: expiresInMs };
    const result = path === '/v1/ratelimit/lease' ? lease : { allowed };
    return { body: { ...result, ...known, policies: policies() } };
  };
  return { reply, used: () => used };
}

async function scene(
  t: TestContext,
  { limit = 10_000, rules = [rule], expiresInMs = PART_MS } = {},
) {
  const shared = counter(limit, expiresInMs);
  const plane = await receiver(t, shared.reply);
  const parts = rig(plane.url, { rateLimitTimeoutMs: 5_000 });
  const limits = createLimits(parts);
  const paths = () => plane.received.map(({ path }) => path.slice('/v1/ratelimit/'.length));
  return {
    ...parts,
    plane,
    limits,
    paths,
    used: shared.used,
    charge: (route = LEASED, keyId = KEY_ID) => limits.charge(contextOf({ keyId }), rules, route),
  };
}

type Scene = Awaited<ReturnType<typeof scene>>;

/** Makes enough checked requests for the key to be considered busy and get a lease. */
async function busy({ charge }: Scene): Promise<void> {
  for (let at = 0; at < 4; at += 1) await charge();
}

test('requests with a busy key need no call to the control plane, but their headers still count down', async (t) => {
  const at = await scene(t);
  await busy(at);
  deepEqual(at.paths(), ['check', 'check', 'check', 'lease']);
  const { body } = ratelimitEndpoints['POST /v1/ratelimit/lease'];
  ok(
    (body as { safeParse(it: unknown): { success: boolean } }).safeParse(at.plane.received[3]?.body)
      .success,
  );
  const verdict = at.charge();
  ok('kind' in verdict && verdict.kind === 'counted', 'a value, not a promise');
  deepEqual([verdict.allowed, verdict.states[0]?.remaining], [true, 9_995]);
  equal(at.plane.received.length, 4);
});

test('the next lease is requested before the last unit is spent', async (t) => {
  const at = await scene(t);
  await busy(at);
  const granted = Number(at.plane.received[3]?.body.want);
  for (let n = 1; n < granted - 1; n += 1) ok('kind' in at.charge(), `request ${n} waits`);
  await until(() => at.paths().filter((path) => path === 'lease').length === 2);
  equal(at.paths().filter((path) => path === 'check').length, 3);
});

test('a lease expires after its duration, measured from when it was requested', async (t) => {
  const at = await scene(t, { expiresInMs: 500 });
  const { script } = at.plane;
  at.plane.script = async (received) => {
    if (received.path.endsWith('/lease')) await at.clock.pass(300);
    return script(received);
  };
  await busy(at);
  await at.clock.pass(190);
  ok('kind' in at.charge(), 'it has not expired');
  await at.clock.pass(10);
  const late = at.charge();
  ok(!('kind' in late), 'unused units were spent after the lease expired');
  await late;
});

test('after a lease expires, concurrent requests share one request for a new lease', async (t) => {
  const at = await scene(t, { expiresInMs: 400 });
  await busy(at);
  await at.clock.pass(401);
  const before = at.plane.received.length;
  await Promise.all(Array.from({ length: 5 }, () => at.charge()));
  equal(at.plane.received.length - before, 1);
});

test("an idle key's unused units are returned", async (t) => {
  const at = await scene(t);
  await busy(at);
  await at.clock.pass(11_000);
  await until(() => at.used() === 4);
  equal(at.clock.timers(), 0, 'no sweep is scheduled');
});

test('a closing node returns all units', async (t) => {
  const at = await scene(t);
  await busy(at);
  await at.limits.close(5_000);
  equal(at.used(), 4);
  equal(at.paths().at(-1), 'return');
  await at.charge();
  equal(at.paths().at(-1), 'check', 'afterwards, limits are checked');
});

test('leases are not used near the limit, in short windows or for rarely used keys', async (t) => {
  const near = await scene(t, { limit: 20 });
  for (let n = 0; n < 25; n += 1) await near.charge();
  deepEqual(new Set(near.paths()), new Set(['check']));
  equal(near.used(), 20);

  const short = await scene(t, { rules: [{ ...rule, windowMs: 2_000 }] });
  for (let n = 0; n < 10; n += 1) await short.charge();
  deepEqual(new Set(short.paths()), new Set(['check']));

  const rare = await scene(t);
  for (let n = 0; n < 10; n += 1) {
    await rare.charge();
    await rare.clock.pass(60_000);
  }
  deepEqual(new Set(rare.paths()), new Set(['check']));
});

test('at most a tenth of the remaining units is leased', async (t) => {
  const at = await scene(t, { limit: 300 });
  for (let n = 0; n < 400; n += 1) await at.charge();
  let used = 0;
  for (const { path, body } of at.plane.received) {
    if (path === '/v1/ratelimit/lease') ok(Number(body.want) <= (300 - used) / 10);
    used += Number(body.want ?? (used < 300 ? body.cost : 0));
  }
  equal(at.used(), 300);
});

test("after a key's limits change, units leased under the old limits are not spent", async (t) => {
  const at = await scene(t);
  await busy(at);
  const changed = [{ ...rule, limit: 5_000 }];
  await at.limits.charge(contextOf({}), changed, LEASED);
  equal(at.paths().at(-1), 'check');
  const same = await scene(t);
  await busy(same);
  ok('kind' in same.limits.charge(contextOf({}), [{ ...rule }], LEASED), 'equal rules');
});

test('leased units can be spent during an outage; a control plane too old for leases gets only checks', async (t) => {
  const at = await scene(t);
  await busy(at);
  at.plane.script = () => null;
  ok('kind' in at.charge());

  const old = await scene(t);
  const { reply } = counter();
  old.plane.script = (received) =>
    received.path.endsWith('/check') ? reply(received) : { status: 404, body: {} };
  for (let n = 0; n < 10; n += 1) equal((await old.charge()).kind, 'counted');
  equal(old.paths().filter((path) => path === 'lease').length, 1);
  equal(old.logged.length, 1);
});

test('every request to a route without leases is checked, and a request with a cost of 0 spends no units', async (t) => {
  const at = await scene(t);
  await busy(at);
  const peeked = at.charge({ cost: 0, leases: true });
  ok('kind' in peeked && peeked.kind === 'counted' && peeked.states[0]?.remaining === 9_996);
  await at.charge({ cost: 1, leases: false });
  equal(at.paths().at(-1), 'check');
});
