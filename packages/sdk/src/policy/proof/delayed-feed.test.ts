// A node behind a relay that holds back genuine signed responses and sends them later.
import { deepEqual, equal, match, notEqual, ok } from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { chanceOf } from '@keyrail/testing/seeded-chance.ts';
import { until } from '@keyrail/testing/until.ts';
import { nodeOn, startedOn, type Watched } from '../../../test/plane.ts';
import { type Outgoing, SignedPlane, signed } from '../../../test/signed-plane.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const STALE_MS = 90_000;
/**
 * The tolerance for ages: two signing times are rounded to seconds, and in 20 min a clock may drift
 * by 0.1%, or 1.2 s.
 */
const INEXACT_MS = 2_000 + 1_200;
const polling = { longPoll: false, pollMs: 10_000 } as const;

/**
 * Replaces a response with one signed `delayMs` earlier, for the same request except for its nonce.
 */
const delayedBy =
  (plane: SignedPlane, delayMs: number): SignedPlane['alter'] =>
  (sent, { target, createdMs }) =>
    signed(sent, plane.signer, {
      target: target.replace(/nonce=[^&]+/, `nonce=${'A'.repeat(22)}`),
      createdMs: createdMs - delayMs,
    });

/** A node that starts from its cache after `changes` has been called. */
async function restarted(t: TestContext, plane: SignedPlane, changes: () => void) {
  const cacheDir = await mkdtemp(join(tmpdir(), 'kr-delayed-'));
  t.after(() => rm(cacheDir, { recursive: true, force: true, maxRetries: 10 }));
  const options = { feedKeys: plane.jwks, cacheDir, ...polling };
  const first = await startedOn(t, plane, options);
  await first.node.close();
  changes();
  const watched = nodeOn(plane, options);
  t.after(() => watched.node.close());
  await until(() => watched.node.state().version !== null);
  return watched;
}

async function steps({ clock }: Watched, ms: number, look: () => void): Promise<void> {
  for (let passed = 0; passed < ms; passed += 5_000) {
    await clock.pass(5_000);
    look();
  }
}

for (const minutes of [1, 10, 59]) {
  test(`a new node never accepts a policy from responses that are ${minutes} min old`, async (t) => {
    const plane = new SignedPlane();
    const watched = nodeOn(plane, { feedKeys: plane.jwks, ...polling }, chanceOf(minutes));
    t.after(() => watched.node.close());
    plane.alter = delayedBy(plane, minutes * MINUTE_MS);
    await steps(watched, 20 * MINUTE_MS, () => {
      const { version, degraded } = watched.node.state();
      deepEqual([version, degraded], [null, true]);
    });
    match(watched.node.state().failure?.message ?? '', /could not be verified/);
    plane.alter = (sent) => sent;
    await watched.clock.pass(10 * MINUTE_MS);
    equal(watched.node.state().degraded, false);
  });

  test(`responses that are ${minutes} min old ${minutes < 2 ? 'confirm' : 'do not confirm'} a cached policy`, async (t) => {
    const plane = new SignedPlane();
    const watched = await restarted(t, plane, () => {
      plane.alter = delayedBy(plane, minutes * MINUTE_MS);
    });
    let confirmed = 0;
    await steps(watched, 20 * MINUTE_MS, () => {
      const { source, degraded } = watched.node.state();
      if (source === 'feed' && !degraded) confirmed += 1;
    });
    equal(confirmed > 0, minutes < 2);
  });

  test(`after a normal start, responses delayed by ${minutes} min are not treated as new`, async (t) => {
    const plane = new SignedPlane();
    const watched = await startedOn(t, plane, { feedKeys: plane.jwks, ...polling });
    plane.alter = delayedBy(plane, minutes * MINUTE_MS);
    const startedAt = watched.clock.now();
    await steps(watched, 20 * MINUTE_MS, () => {
      const { degraded, lastSyncAt } = watched.node.state();
      const provenAt = Math.max(startedAt, watched.clock.now() - minutes * MINUTE_MS);
      ok((lastSyncAt ?? 0) <= provenAt + INEXACT_MS, 'it claims no later confirmation');
      const ageMs = watched.clock.now() - provenAt;
      ok(degraded || ageMs <= STALE_MS + INEXACT_MS, `${ageMs}`);
    });
    plane.alter = (sent) => sent;
    await watched.clock.pass(10 * MINUTE_MS);
    equal(watched.node.state().degraded, false);
  });
}

test('a node whose clock is 3 min fast is degraded and logs it, but still uses held polls', async (t) => {
  const plane = new SignedPlane();
  plane.aheadMs = -3 * MINUTE_MS;
  const key = plane.issue();
  const watched = await startedOn(t, plane, { feedKeys: plane.jwks });
  const { node, clock } = watched;
  plane.asked.length = 0;
  await clock.pass(10 * MINUTE_MS);
  ok(plane.asked.length < 40, `${plane.asked.length}`);
  const { degraded, failure, lastSyncAt } = node.state();
  deepEqual([degraded, failure?.hard], [true, true]);
  match(failure?.message ?? '', /this machine's clock is 3 minutes ahead/);
  ok(clock.now() - (lastSyncAt ?? 0) < STALE_MS, 'a nonce proved that the responses are new');
  ok(node.verify(key).allowed);
  equal(
    watched.logged.filter((line) => line.includes('clock')).length,
    1,
    'it is logged only once',
  );
  plane.revoke(key);
  await clock.pass(1);
  equal(node.verify(key).allowed, false);
  clock.step(-3 * MINUTE_MS);
  plane.aheadMs = 0;
  await clock.pass(MINUTE_MS);
  deepEqual([node.state().degraded, node.state().failure], [false, null]);
});

test("a response to a request with a nonce confirms a cached policy even if the machine's clock is fast", async (t) => {
  const plane = new SignedPlane();
  const watched = await restarted(t, plane, () => {
    plane.aheadMs = -3 * HOUR_MS;
  });
  await watched.clock.pass(1);
  match(
    watched.node.state().failure?.message ?? '',
    /this machine's clock it was signed 180 minutes ago/,
  );
  await until(() => watched.clock.pass(1_000).then(() => watched.node.state().source === 'feed'));
  const { degraded, failure } = watched.node.state();
  equal(degraded, true);
  match(failure?.message ?? '', /180 minutes ahead/);
});

test('after a suspension, responses signed before it do not make the policy current', async (t) => {
  const plane = new SignedPlane();
  const watched = await startedOn(t, plane, { feedKeys: plane.jwks, ...polling });
  // The monotonic clock stopped during the suspension, so it can't show that these responses are
  // old.
  watched.clock.step(HOUR_MS);
  plane.alter = delayedBy(plane, HOUR_MS);
  await steps(watched, 20 * MINUTE_MS, () => equal(watched.node.state().degraded, true));
  plane.alter = (sent) => sent;
  await watched.clock.pass(10 * MINUTE_MS);
  equal(watched.node.state().degraded, false);
});

test('a response to a request with a nonce restores trust in a control plane whose clock was set back', async (t) => {
  const plane = new SignedPlane();
  const watched = await startedOn(t, plane, { feedKeys: plane.jwks, ...polling });
  plane.aheadMs = -HOUR_MS;
  const key = plane.issue();
  await watched.clock.pass(10 * MINUTE_MS);
  ok(watched.node.verify(key).allowed);
  match(watched.node.state().failure?.message ?? '', /clock is 60 minutes ahead/);
});

test('a recorded first snapshot is rejected because of its nonce', async (t) => {
  const plane = new SignedPlane();
  const key = plane.issue();
  const recorded: Outgoing[] = [];
  plane.alter = (sent) => {
    recorded.push(sent);
    return sent;
  };
  const first = await startedOn(t, plane, { feedKeys: plane.jwks, ...polling });
  plane.revoke(key);
  const [snapshot] = recorded;
  plane.alter = () => snapshot ?? { status: 500, headers: {}, body: '' };
  const second = nodeOn(plane, { feedKeys: plane.jwks, ...polling }, chanceOf(5));
  t.after(() => second.node.close());
  await second.clock.pass(MINUTE_MS);
  equal(second.node.state().version, null);
  match(second.node.state().failure?.message ?? '', /for another request/);
  ok(first.node.verify(key).allowed);
});

test('only a node that verifies responses sends a nonce: 16 new bytes with each request for a first page', async (t) => {
  const plane = new SignedPlane();
  plane.pageMax = 2;
  for (let n = 0; n < 5; n += 1) plane.issue();
  const nonces = () =>
    plane.asked.map(({ line, query }) => [line, query.has('cursor'), query.get('nonce')]);
  const two = [nodeOn(plane, { feedKeys: plane.jwks }, chanceOf(1))];
  two.push(nodeOn(plane, { feedKeys: plane.jwks }, chanceOf(2)));
  t.after(() => Promise.all(two.map(({ node }) => node.close())));
  await plane.clock.pass(1);
  const sent = nonces().filter(([, , nonce]) => nonce !== null);
  equal(sent.length, 2);
  for (const [line, hasCursor, nonce] of sent) {
    deepEqual([line, hasCursor], ['snapshot', false]);
    match(String(nonce), /^[\w-]{22}$/);
  }
  notEqual(sent[0]?.[2], sent[1]?.[2]);
  ok(nonces().some(([, hasCursor]) => hasCursor));
  plane.asked.length = 0;
  const { node } = await startedOn(t, plane);
  ok(nonces().every(([, , nonce]) => nonce === null));
  equal(node.state().degraded, false);
});

test('a node does not accept a 304, a redirect or a different page in place of the first page', async (t) => {
  const plane = new SignedPlane();
  plane.pageMax = 1;
  plane.issue();
  plane.issue();
  const recorded: Outgoing[] = [];
  plane.alter = (sent) => {
    recorded.push(sent);
    return sent;
  };
  await startedOn(t, plane, { feedKeys: plane.jwks, ...polling });
  const status = 304;
  const attacks: SignedPlane['alter'][] = [
    // The relay adds If-None-Match, so the control plane really does sign a 304.
    (sent, question) => signed({ ...sent, status, body: '' }, plane.signer, question),
    (sent, { target }) => ({ ...sent, status: 302, headers: { location: target } }),
    (sent, { target }) => (target.includes('nonce=') ? (recorded[1] ?? sent) : sent),
    (sent, { target }) => (target.includes('cursor=') ? (recorded[0] ?? sent) : sent),
  ];
  for (const [at, attack] of attacks.entries()) {
    plane.alter = attack;
    const { node, clock } = nodeOn(plane, { feedKeys: plane.jwks, ...polling }, chanceOf(at));
    await clock.pass(MINUTE_MS);
    deepEqual([node.state().version, node.state().degraded], [null, true], `attack ${at}`);
    await node.close();
  }
});
