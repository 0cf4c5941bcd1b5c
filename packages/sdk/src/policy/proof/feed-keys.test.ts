// The keys that sign the feed: pinned, published, replaced while nodes poll, or misconfigured.
import { deepEqual, equal, match, ok, throws } from 'node:assert/strict';
import { test } from 'node:test';
import { nodeOn, PROJECT_ID, startedOn, type Watched } from '../../../test/plane.ts';
import { secretKeyOf } from '../../../test/rig.ts';
import { newSigner, SignedPlane } from '../../../test/signed-plane.ts';
import { createNode } from '../../keyrail.ts';
import { createFreshness } from './freshness.ts';

const HOUR_MS = 3_600_000;

const options = { feedKeys: 'jwks', longPoll: false, pollMs: 1000 } as const;

/** Lets the node make a few more requests. */
const polls = async ({ clock }: Pick<Watched, 'clock'>, ms = 10_000): Promise<void> => {
  for (let turn = 0; turn < 10; turn += 1) await clock.pass(ms / 10);
};

test('the list of signing keys is loaded once, and again after a response signed with an unknown key', async (t) => {
  const plane = new SignedPlane();
  const key = plane.issue();
  const { node, clock } = await startedOn(t, plane, options);
  await polls({ clock });
  equal(plane.reads, 1);
  const next = newSigner('second');
  plane.published.push(next);
  plane.signer = next;
  plane.revoke(key);
  await polls({ clock }, 120_000);
  equal(plane.reads, 2);
  equal(node.state().failure, null);
  equal(node.verify(key).allowed, false);
});

test('with a relay, the policy comes from the first URL, but the signing keys come from the last', async (t) => {
  const plane = new SignedPlane();
  const asked = new Set<string>();
  const node = createNode(
    {
      url: ['https://relay.invalid', 'https://plane.invalid'],
      secretKey: secretKeyOf('live'),
      projectId: PROJECT_ID,
      feedKeys: 'jwks',
      telemetry: false,
    },
    {
      clock: plane.clock,
      fetch: (url, init) => {
        asked.add(new URL(url).origin + new URL(url).pathname);
        return plane.fetch(url, init);
      },
    },
  );
  t.after(() => node.close());
  await polls(plane);
  equal(node.state().version, plane.version);
  deepEqual([...asked].toSorted(), [
    'https://plane.invalid/.well-known/jwks.json',
    'https://relay.invalid/v1/policy/delta',
    'https://relay.invalid/v1/policy/snapshot',
  ]);
});

test('responses signed with an unknown key do not make the node keep reloading the list of keys', async (t) => {
  const plane = new SignedPlane();
  const { node, clock } = await startedOn(t, plane, options);
  const { version } = node.state();
  plane.signer = newSigner('never-published');
  plane.issue();
  await polls({ clock }, 10 * 60_000);
  equal(node.state().version, version);
  match(node.state().failure?.message ?? '', /it was signed by an unknown key/);
  ok(plane.reads <= 12, String(plane.reads));
});

test('a node gets no policy if the list of signing keys is empty or contains only keys for other purposes', async (t) => {
  for (const published of [[newSigner('first', 'receipt')], []]) {
    const plane = new SignedPlane();
    plane.published = published;
    const { node, clock } = nodeOn(plane, options);
    t.after(() => node.close());
    await polls({ clock });
    equal(node.state().version, null);
    match(node.state().failure?.message ?? '', /the feed's keys have not been loaded/);
  }
});

test('a node with both keys pinned still accepts the feed after a rotation; a node with only the old key does not', async (t) => {
  const plane = new SignedPlane();
  const old = plane.signer;
  const next = newSigner('second');
  const pinned = (...signers: (typeof old)[]) => ({
    ...options,
    feedKeys: { keys: signers.map(({ jwk }) => jwk) },
  });
  const both = await startedOn(t, plane, pinned(old, next));
  const one = await startedOn(t, plane, pinned(old));
  const { version } = one.node.state();
  plane.signer = next;
  plane.issue();
  await polls(plane, 120_000);
  equal(both.node.state().version, plane.version);
  equal(one.node.state().version, version);
  match(one.node.state().failure?.message ?? '', /it was signed by an unknown key/);
  plane.signer = old;
  await polls(plane, 120_000);
  equal(one.node.state().version, plane.version);
  equal(plane.reads, 0);
});

test('invalid feed keys are an error and do not turn verification off', () => {
  const plane = new SignedPlane();
  const { jwk } = plane.signer;
  const wrong: unknown[] = [
    null,
    '',
    'JWKS',
    true,
    [],
    {},
    { keys: [] },
    { keys: [{ ...jwk, purpose: 'receipt' }] },
    { keys: [{ ...jwk, crv: 'P-256' }] },
    { keys: [{ ...jwk, x: 7 }] },
    { keys: [{ ...jwk, kid: undefined }] },
  ];
  for (const feedKeys of wrong) {
    throws(() => nodeOn(plane, { feedKeys: feedKeys as never }), TypeError);
  }
  throws(() => nodeOn(plane, { feedKeys: 'jwks', url: 'http://plane.example' }), /https/);
});

test('a response signed much longer ago than the others is rejected', () => {
  const { judge } = createFreshness();
  const accepts = (signedAtMs: number, elapsedMs: number): boolean => {
    const arrived = { wallMs: 1_050_000 + elapsedMs, elapsedMs };
    return typeof judge({ signedAtMs, arrived, isProven: false }) !== 'string';
  };
  ok(!accepts(929_000, 0), 'the first one is more than two minutes old');
  ok(accepts(1_000_000, 0), 'the first one sets the pace, although the clocks differ');
  ok(accepts(1_060_000, 60_000));
  ok(accepts(1_000_000, 60_000), 'a slow one');
  ok(!accepts(1_000_000, 200_000));
  ok(accepts(1_200_000, 200_000), 'a rejected one changes nothing');
  ok(accepts(1_500_000, 200_000), 'a server whose clock is ahead');
  ok(!accepts(1_200_000, 200_000));
  ok(accepts(1_500_000 + 24 * HOUR_MS - 80_000, 200_000 + 24 * HOUR_MS), 'clocks drift apart');
});
