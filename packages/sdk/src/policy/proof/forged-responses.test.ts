// A node with pinned keys is sent forged, altered, repeated and swapped feed responses. It rejects
// all of them and keeps its policy.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { chanceOf } from '@keyrail/testing/seeded-chance.ts';
import type { ManualClock } from '../../../test/manual-clock.ts';
import { PROJECT_ID, startedOn } from '../../../test/plane.ts';
import {
  digestOf,
  newSigner,
  type Outgoing,
  type Question,
  SignedPlane,
  type Signer,
  signed,
} from '../../../test/signed-plane.ts';

const MINUTE_MS = 60_000;

type Scene = { plane: SignedPlane; other: Signer; receipts: Signer; chance: () => number };
type Forge = (scene: Scene) => SignedPlane['alter'];
type Forgery = { name: string; forge: Forge; times?: number };

const withHeader =
  (name: string, change: (value: string, scene: Scene) => string | null): Forge =>
  (scene) =>
  (sent) => {
    const value = change(sent.headers[name] ?? '', scene);
    const { [name]: _, ...others } = sent.headers;
    return { ...sent, headers: value === null ? others : { ...others, [name]: value } };
  };

/** Replaces one character with another. */
function flipped(text: string, { chance }: Scene, among = 'AQgw0'): string {
  if (text === '') return 'x';
  const at = Math.floor(chance() * text.length);
  const next = [...among].find((each) => each !== text[at]) ?? 'x';
  return text.slice(0, at) + next + text.slice(at + 1);
}

const withBody =
  (change: (body: string, scene: Scene) => string): Forge =>
  (scene) =>
  (sent) => ({ ...sent, body: change(sent.body, scene) });

/** Signed with the genuine key, but for a different request. */
const forQuestion =
  (change: (question: Question) => Question): Forge =>
  ({ plane }) =>
  (sent, question) =>
    signed(sent, plane.signer, change(question));

const inTarget = (from: string | RegExp, to: string) =>
  forQuestion((question) => ({ ...question, target: question.target.replace(from, to) }));

const bySigner =
  (choose: (scene: Scene) => Signer): Forge =>
  (scene) =>
  (sent, question) =>
    signed(sent, choose(scene), question);

const input = (from: string | RegExp, to: string): Forge =>
  withHeader('signature-input', (value) => value.replace(from, to));

const asOf = (sent: Outgoing, fields: Record<string, unknown>): Outgoing => ({
  ...sent,
  body: JSON.stringify({ ...JSON.parse(sent.body || '{}'), ...fields }),
});

/** Forgeries of any response, with or without a body. */
const inAny: Forgery[] = [
  { name: 'a changed signature', times: 40, forge: withHeader('signature', flipped) },
  { name: 'changed parameters', times: 40, forge: withHeader('signature-input', flipped) },
  { name: 'a changed ETag', times: 10, forge: withHeader('etag', flipped) },
  ...['signature', 'signature-input', 'etag'].flatMap((name) => [
    { name: `no ${name}`, forge: withHeader(name, () => null) },
    { name: `an empty ${name}`, forge: withHeader(name, () => '') },
    { name: `a long ${name}`, forge: withHeader(name, (value) => value + 'a'.repeat(9000)) },
  ]),
  { name: 'unsigned', forge: () => (sent) => ({ ...sent, headers: {} }) },
  { name: 'a second signature with the name', forge: input(/$/, ', keyrail=("@status")') },
  { name: 'another name', forge: input('keyrail=', 'sig1=') },
  { name: 'fewer components', forge: input('"@status" ', '') },
  { name: 'no path', forge: input('"@path";req ', '') },
  { name: 'no query', forge: input(' "@query";req', '') },
  { name: 'more components', forge: input(' "@query";req', ' "@query";req "date"') },
  {
    name: 'components in another order',
    forge: input('"@path";req "@query";req', '"@query";req "@path";req'),
  },
  { name: 'components of the response', forge: input('"@query";req', '"@query"') },
  { name: 'another algorithm', forge: input('"ed25519"', '"hmac-sha256"') },
  { name: 'no algorithm', forge: input(';alg="ed25519"', '') },
  { name: 'an additional parameter', forge: input(/$/, ';nonce="x"') },
  { name: 'an expiry', forge: input(/$/, ';expires=9999999999') },
  { name: 'a later time', forge: input(/created=(\d+)/, 'created=9$1') },
  { name: 'an unknown key', forge: bySigner(() => newSigner('unknown')) },
  {
    name: 'another key with the same ID',
    forge: bySigner(({ plane }) => newSigner(plane.signer.kid)),
  },
  { name: 'the receipt signing key', forge: bySigner(({ receipts }) => receipts) },
  { name: 'a key that is not pinned', forge: bySigner(({ other }) => other) },
  { name: 'another project', forge: inTarget(PROJECT_ID, PROJECT_ID.replace(/^./, 'f')) },
  { name: 'another environment', forge: inTarget(/\?/, '?env=test&') },
  { name: 'a node in the query', forge: inTarget(/\?/, '?node=else&') },
  { name: 'another hold', forge: inTarget(/wait_ms=\d+|max_keys=\d+/, 'wait_ms=7') },
  { name: 'another page size', forge: inTarget(/max_keys=\d+/, 'max_keys=7') },
  { name: 'another path', forge: inTarget(/policy\/\w+/, 'policy/nodes') },
  { name: 'another requested version', forge: inTarget(/\?/, '?since=0&') },
  {
    name: 'signed three minutes ago',
    times: 5,
    forge: forQuestion(({ target, createdMs }) => ({
      target: target.replace(/nonce=[^&]+/, `nonce=${'A'.repeat(22)}`),
      createdMs: createdMs - 3 * MINUTE_MS,
    })),
  },
];

/** Forgeries of a response that has a body. */
const inBody: Forgery[] = [
  { name: 'a changed body', times: 40, forge: withBody(flipped) },
  { name: 'a longer body', times: 5, forge: withBody((body) => `${body} `) },
  {
    name: 'a truncated body',
    times: 5,
    forge: withBody((body, { chance }) => body.slice(0, Math.floor(chance() * body.length))),
  },
  { name: 'an empty body', forge: withBody(() => '') },
  { name: 'a changed digest', times: 20, forge: withHeader('content-digest', flipped) },
  { name: 'no digest', forge: withHeader('content-digest', () => null) },
  {
    name: 'another digest algorithm',
    forge: withHeader('content-digest', (value) => value.replace('sha-256', 'sha-512')),
  },
  { name: 'two digests', forge: withHeader('content-digest', (value) => `${value}, ${value}`) },
  {
    name: 'another body with its digest',
    times: 5,
    forge:
      ({ plane }) =>
      (sent) => {
        const body = asOf(sent, { version: plane.version + 1 }).body;
        return { ...sent, body, headers: { ...sent.headers, 'content-digest': digestOf(body) } };
      },
  },
  {
    name: 'the body of another response, with its digest',
    times: 5,
    forge:
      ({ plane }) =>
      (sent, question) => {
        const other = signed({ ...sent, body: JSON.stringify(plane.delta(1)) }, plane.signer, {
          ...question,
          target: `${question.target}&x`,
        });
        const headers = {
          ...sent.headers,
          'content-digest': other.headers['content-digest'] ?? '',
        };
        return { ...sent, body: other.body, headers };
      },
  },
  {
    name: 'a genuine signature of an older version',
    times: 3,
    forge:
      ({ plane }) =>
      (sent, question) =>
        signed(asOf(sent, { version: 1, since: 1 }), plane.signer, question),
  },
  {
    name: 'a genuine signature of another environment',
    forge:
      ({ plane }) =>
      (sent, question) =>
        signed(asOf(sent, { env: 'test' }), plane.signer, question),
  },
  { name: 'a 304 in place of changes', forge: () => (sent) => ({ ...sent, status: 304 }) },
];

async function scene(t: Parameters<typeof startedOn>[0], seed: number) {
  const plane = new SignedPlane();
  const known = plane.issue();
  const receipts = newSigner('receipts', 'receipt');
  plane.published.push(receipts);
  const feedKeys = plane.jwks;
  const watched = await startedOn(t, plane, { feedKeys, longPoll: false, pollMs: MINUTE_MS });
  const all: Scene = { plane, other: newSigner('other'), receipts, chance: chanceOf(seed) };
  return { ...watched, plane, known, all };
}

/** Resolves when the node has processed the response to a request made after this call. */
async function dealtWith({ plane, clock }: { plane: SignedPlane; clock: ManualClock }) {
  const asked = plane.asked.length;
  for (let turns = 0; plane.asked.length < asked + 2; turns += 1) {
    ok(turns < 1000, 'the node polls again');
    await clock.pass(MINUTE_MS);
  }
}

const expanded = (forgeries: readonly Forgery[]): Forgery[] =>
  forgeries.flatMap((each) => Array.from({ length: each.times ?? 1 }, () => each));

test('200 forged responses that contain policy changes are rejected, and the policy stays in force', async (t) => {
  const { plane, node, clock, known, all } = await scene(t, 1);
  const before = node.state().version;
  plane.revoke(known);
  const added = plane.issue();
  const cases = expanded([...inAny, ...inBody]);
  ok(cases.length >= 200, String(cases.length));
  for (const { name, forge } of cases) {
    plane.alter = forge(all);
    await dealtWith({ plane, clock });
    const { version, failure, degraded } = node.state();
    deepEqual([version, degraded], [before, true], name);
    ok(failure && !failure.message.includes('(connect)'), name);
    ok(node.verify(known).allowed && !node.verify(added).allowed, name);
  }
  const refused = /feed_unproven_total (\d+)/.exec(node.metrics())?.[1];
  // The remaining forgeries are rejected earlier, because they are no longer valid JSON.
  ok(Number(refused) >= 200, refused);
  plane.alter = (sent) => sent;
  await dealtWith({ plane, clock });
  equal(node.state().failure, null);
  equal(node.state().version, plane.version);
  ok(!node.verify(known).allowed && node.verify(added).allowed);
});

test('a forged response that reports no changes does not confirm the policy', async (t) => {
  const { plane, node, clock, all } = await scene(t, 2);
  for (const { name, forge } of inAny) {
    plane.alter = forge(all);
    const { lastSyncAt } = node.state();
    await dealtWith({ plane, clock });
    equal(node.state().lastSyncAt, lastSyncAt, name);
    ok(node.state().failure?.message.includes('could not be verified'), name);
    plane.alter = (sent) => sent;
    await dealtWith({ plane, clock });
    equal(node.state().failure, null, name);
  }
});

test('a recorded response is rejected when it is sent again later', async (t) => {
  const { plane, node, clock } = await scene(t, 3);
  const recorded = new Map<string, Outgoing>();
  plane.alter = (sent, { target }) => {
    if (!recorded.has(target)) recorded.set(target, sent);
    return sent;
  };
  await clock.pass(3 * MINUTE_MS);
  ok([...recorded.values()].some(({ status }) => status === 304));
  const version = node.state().version;
  plane.issue();
  plane.alter = (sent, { target }) => recorded.get(target) ?? { ...sent, headers: {} };
  await clock.pass(10 * MINUTE_MS);
  equal(node.state().version, version);
  ok(node.state().degraded);
  ok(node.state().failure?.message.includes('could not be verified'));
});

test('without feedKeys nothing is verified', async (t) => {
  const plane = new SignedPlane();
  plane.alter = (sent) => ({ ...sent, headers: { signature: 'x' } });
  const key = plane.issue();
  const { node } = await startedOn(t, plane);
  ok(node.verify(key).allowed);
  equal(plane.reads, 0);
});

test('a node sends its name in a header only while the feed is signed', async (t) => {
  const plane = new SignedPlane();
  const { clock } = await startedOn(t, plane, { longPoll: false, pollMs: MINUTE_MS });
  const isInQuery = () => plane.asked.at(-1)?.query.has('node');
  ok(plane.asked[0]?.query.has('node'), 'it has not seen a signed response yet');
  await clock.pass(3 * MINUTE_MS);
  equal(isInQuery(), false);
  // An older server release, which does not sign the feed, takes over.
  plane.alter = (sent) => ({ ...sent, headers: {} });
  await clock.pass(3 * MINUTE_MS);
  equal(isInQuery(), true);
});
