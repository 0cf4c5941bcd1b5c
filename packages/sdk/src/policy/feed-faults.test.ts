// A control plane that sends invalid responses, another project's policy, or nothing: the last good
// policy stays in force until a valid response arrives.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { NODE_SEEN_WITHIN_MS } from '@keyrail/protocol/wire/limits.ts';
import { uuidOf } from '../../test/entries.ts';
import { type Asked, nodeOn, Plane, type Watched } from '../../test/plane.ts';

const HOUR_MS = 3_600_000;
const HUGE_BYTES = 65 * 1024 * 1024;

const reasonOf = ({ node }: Watched, key: string) => {
  const decision = node.verify(key);
  return decision.allowed ? 'allowed' : decision.reason;
};

type Body = Record<string, unknown>;
const answer = (body: unknown, status = 200) => Response.json(body, { status });
const refusal = (status: number, code: string) =>
  answer({ error: { code, message: 'no' } }, status);

/** Returns a valid delta or snapshot with one fault. */
const spoilt = (spoil: (body: Body) => Body) => (asked: Asked, plane: Plane) =>
  answer(
    spoil(
      asked.line === 'delta' ? plane.delta(Number(asked.query.get('since'))) : plane.snapshot(0),
    ),
  );

const brokenBody = (sent: string) =>
  new Response(
    new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode(sent));
        setImmediate(() => controller.error(new Error('reset')));
      },
    }),
  );

const hugeBody = () => {
  const piece = new Uint8Array(1024 * 1024).fill(32);
  let sent = 0;
  return new Response(
    new ReadableStream({
      pull(controller) {
        sent += piece.length;
        if (sent > HUGE_BYTES) controller.close();
        else controller.enqueue(piece);
      },
    }),
  );
};

type Fault = {
  name: string;
  hard: boolean;
  answers(asked: Asked, plane: Plane): Response | Promise<Response>;
};

const changesOf = (body: Body) => (Array.isArray(body.changes) ? body.changes : []);
const spoiltKey = (more: object) => (body: Body) => ({
  ...body,
  changes: changesOf(body).map((change, at, all) =>
    at === all.length - 1 ? { ...change, ...more } : change,
  ),
  keys: [{ ...more }],
});

const faults: Fault[] = [
  {
    name: 'no response',
    hard: false,
    answers: () => Promise.reject(new TypeError('fetch failed')),
  },
  { name: 'a 500', hard: false, answers: () => refusal(500, 'internal_error') },
  { name: 'a 503', hard: false, answers: () => refusal(503, 'unavailable') },
  { name: 'a 429', hard: false, answers: () => refusal(429, 'rate_limited') },
  { name: 'a redirect', hard: false, answers: () => new Response(null, { status: 302 }) },
  {
    name: 'an HTML page from a proxy',
    hard: false,
    answers: () => new Response('<html>sign in</html>'),
  },
  { name: 'a truncated response', hard: false, answers: () => brokenBody('{"object":"policy_del') },
  { name: 'an endless response', hard: false, answers: hugeBody },
  { name: 'a 401', hard: true, answers: () => refusal(401, 'invalid_key') },
  { name: 'a 403', hard: true, answers: () => refusal(403, 'forbidden') },
  { name: 'a 404', hard: true, answers: () => refusal(404, 'not_found') },
  { name: 'a list instead of an object', hard: true, answers: () => answer([]) },
  { name: 'an empty body', hard: true, answers: () => new Response('') },
  {
    name: 'the wrong kind of object',
    hard: true,
    answers: spoilt((body) => ({ ...body, object: 'list' })),
  },
  {
    name: "another project's policy",
    hard: true,
    answers: spoilt((body) => ({ ...body, project_id: uuidOf(7, 8) })),
  },
  {
    name: "another workspace's policy",
    hard: true,
    answers: spoilt((body) => ({ ...body, workspace_id: uuidOf(7, 8) })),
  },
  {
    name: 'a policy for only one environment',
    hard: true,
    answers: spoilt((body) => ({ ...body, env: 'live' })),
  },
  { name: 'an older version', hard: true, answers: spoilt((body) => ({ ...body, version: 1 })) },
  {
    name: 'an unknown kind of change',
    hard: true,
    answers: spoilt(spoiltKey({ change: 'suspend' })),
  },
  { name: 'a truncated digest', hard: true, answers: spoilt(spoiltKey({ lookup_hash: 'ab' })) },
  ...['A', 'g', '/', ':', '`'].map((letter) => ({
    name: `a digest with ${letter} in it`,
    hard: true,
    answers: spoilt(spoiltKey({ lookup_hash: `${'a'.repeat(63)}${letter}` })),
  })),
  { name: 'a missing expiry', hard: true, answers: spoilt(spoiltKey({ expires_at: undefined })) },
  {
    name: 'an invalid expiry',
    hard: true,
    answers: spoilt(spoiltKey({ expires_at: 'soon' })),
  },
  { name: 'scopes that are not a list', hard: true, answers: spoilt(spoiltKey({ scopes: 'all' })) },
  {
    name: 'an unknown kind of rate limit',
    hard: true,
    answers: spoilt(spoiltKey({ rate_limits: [{ id: 'r' }] })),
  },
];

for (const { name, hard, answers } of faults) {
  test(`the last good policy survives ${name}`, async (t) => {
    const watched = await healthy(t);
    const { plane, node, clock } = watched;
    const revoked = plane.issue();
    const kept = plane.issue();
    await clock.pass(1);
    const before = node.state();
    plane.fault = (asked) => answers(asked, plane);
    plane.wake(); // ends the poll under way, which would otherwise get a valid response
    await clock.pass(1);
    plane.revoke(revoked);
    const fresh = plane.issue();
    for (let step = 0; step < 40; step += 1) await clock.pass(500);

    const state = node.state();
    deepEqual(
      [state.version, state.keys],
      [before.version, before.keys],
      'the policy is unchanged',
    );
    equal(state.degraded, true);
    equal(state.failure?.hard, hard, state.failure?.message);
    deepEqual(
      [revoked, kept, fresh].map((key) => reasonOf(watched, key)),
      ['allowed', 'allowed', 'unknown_key'],
    );

    plane.fault = () => null;
    for (let step = 0; step < 20; step += 1) await clock.pass(60_000);
    deepEqual(
      [revoked, kept, fresh].map((key) => reasonOf(watched, key)),
      ['unknown_key', 'allowed', 'allowed'],
    );
    deepEqual([node.state().degraded, node.state().failure], [false, null]);
  });
}

async function healthy(t: TestContext): Promise<Watched> {
  const watched = nodeOn(new Plane());
  t.after(() => watched.node.close());
  await watched.clock.pass(1);
  equal(watched.node.state().degraded, false);
  return watched;
}

test('after a delta that cannot be applied, a snapshot is loaded', async (t) => {
  const watched = await healthy(t);
  const { plane, node, clock } = watched;
  plane.fault = (asked) => {
    if (asked.line === 'snapshot' || plane.version === 1) return null;
    return answer({ ...plane.delta(0), since: 0 });
  };
  plane.wake();
  await clock.pass(1);
  const key = plane.issue();
  for (let step = 0; step < 20; step += 1) await clock.pass(1_000);
  equal(reasonOf(watched, key), 'allowed');
  equal(node.state().version, plane.version);
});

test('after the control plane is rolled back, a node starts over from a snapshot', async (t) => {
  const watched = await healthy(t);
  const { plane, clock, node } = watched;
  const revoked = plane.issue();
  const kept = plane.issue();
  await clock.pass(1);
  equal(node.state().version, 3);
  plane.version = 1;
  plane.wake();
  await clock.pass(1);
  equal(node.state().failure?.hard, true);
  // The new history reaches the node's version number with a different policy.
  plane.revoke(revoked);
  const fresh = plane.issue();
  for (let step = 0; step < 20; step += 1) await clock.pass(60_000);
  deepEqual([node.state().version, node.state().degraded], [3, false]);
  deepEqual(
    [revoked, kept, fresh].map((key) => reasonOf(watched, key)),
    ['unknown_key', 'allowed', 'allowed'],
  );
});

test('a node that gets only invalid responses still polls often enough for revocations to wait for it', async (t) => {
  const { plane, clock } = await healthy(t);
  plane.fault = () => answer([]);
  plane.wake();
  plane.asked.length = 0;
  for (let step = 0; step < 120; step += 1) await clock.pass(HOUR_MS / 120);
  const gaps = plane.asked.map(({ at }, index) => at - (plane.asked[index - 1]?.at ?? at));
  ok(Math.max(...gaps) < NODE_SEEN_WITHIN_MS, `${gaps}`);
});

test('the delay between retries grows up to a limit and includes jitter', async (t) => {
  const gapsOf = async (status: number, chance: () => number) => {
    const plane = new Plane();
    plane.fault = () => refusal(status, 'unavailable');
    const watched = nodeOn(plane, {}, chance);
    t.after(() => watched.node.close());
    for (let step = 0; step < 120; step += 1) await watched.clock.pass(HOUR_MS / 120);
    return plane.asked.map(({ at }, index) => at - (plane.asked[index - 1]?.at ?? 0)).slice(1);
  };
  const soft = await gapsOf(503, () => 0);
  ok(
    soft.every((gap, at) => gap >= (soft[at - 1] ?? 0) && gap <= 5_000),
    `${soft}`,
  );
  const hard = await gapsOf(401, () => 0);
  ok(
    hard.every((gap) => gap >= 5_000 && gap <= 300_000),
    `${hard}`,
  );
  ok(hard.length < soft.length / 4, `${hard.length} of ${soft.length}`);
  const early = await gapsOf(503, () => 0.99);
  ok((early.at(-1) ?? 0) < 2_000, 'jitter removes most of a wait');
});

test("a 429's Retry-After is respected", async (t) => {
  const plane = new Plane();
  const headers = { 'retry-after': '120' };
  plane.fault = () => new Response(null, { status: 429, headers });
  const { node, clock } = nodeOn(plane);
  t.after(() => node.close());
  for (let step = 0; step < 12; step += 1) await clock.pass(10_000);
  equal(plane.asked.length, 1);
});

test('a maintenance page with a long Retry-After does not pause a node for long', async (t) => {
  const { plane, clock, node } = await healthy(t);
  const headers = { 'retry-after': '3600' };
  plane.fault = () => new Response('<html>back soon</html>', { status: 503, headers });
  plane.wake();
  await clock.pass(5_000);
  equal(node.state().degraded, true);
  plane.fault = () => null;
  for (let step = 0; step < 6; step += 1) await clock.pass(60_000);
  equal(node.state().degraded, false);
});

test('a fleet does not retry in lockstep', async (t) => {
  const plane = new Plane();
  plane.fault = () => Promise.reject(new TypeError('fetch failed'));
  let seed = 1;
  const chance = () => {
    seed = (seed * 16807) % 2147483647;
    return seed / 2147483647;
  };
  const nodes = Array.from({ length: 200 }, () => nodeOn(plane, {}, chance).node);
  t.after(() => Promise.all(nodes.map((node) => node.close())));
  await plane.clock.pass(60_000);
  plane.asked.length = 0;
  await plane.clock.pass(30_000);
  const perSecond = new Map<number, number>();
  for (const { at } of plane.asked) {
    const second = Math.floor(at / 1000);
    perSecond.set(second, (perSecond.get(second) ?? 0) + 1);
  }
  const share = plane.asked.length / 30;
  ok(Math.max(...perSecond.values()) < 1.5 * share, `${[...perSecond.values()]}`);
});
