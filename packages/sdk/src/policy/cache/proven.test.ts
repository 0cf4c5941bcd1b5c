// A node that starts from a cache of signed responses verifies all of them. It rejects anything
// else, even from an attacker who has the secret key and can therefore encrypt the files.
import { equal, match, ok } from 'node:assert/strict';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { until } from '@keyrail/testing/until.ts';
import { newestFile } from '../../../test/cache.ts';
import { nodeOn, startedOn } from '../../../test/plane.ts';
import { secretKeyOf } from '../../../test/rig.ts';
import { newSigner, SignedPlane } from '../../../test/signed-plane.ts';
import { versionIn } from './format.ts';
import { readSealed, writeSealed } from './sealed-file.ts';

const secretKey = secretKeyOf('live');

/**
 * Sets up a control plane with three keys, one of them revoked, and a cache left by a closed node.
 */
async function cached(t: TestContext, feedKeys?: 'jwks') {
  const above = await mkdtemp(join(tmpdir(), 'kr-proven-'));
  t.after(() => rm(above, { recursive: true, force: true }));
  const cacheDir = join(above, 'cache');
  const plane = new SignedPlane();
  plane.pageMax = 1;
  const kept = plane.issue();
  plane.issue();
  const revoked = plane.issue();
  const options = { cacheDir, feedKeys: feedKeys ?? plane.jwks, longPoll: false, pollMs: 1000 };
  const { node, clock } = await startedOn(t, plane, options);
  const reaches = () =>
    until(() => clock.pass(1000).then(() => node.state().version === plane.version));
  plane.revoke(revoked);
  await reaches();
  plane.change(kept, { scopes: ['a'] });
  await reaches();
  await node.close();
  return { above, cacheDir, plane, options, kept, revoked };
}

type Cached = Awaited<ReturnType<typeof cached>>;

/** Starts a node that cannot reach the control plane. */
async function startedFromCache(t: TestContext, { plane, options }: Cached, more = {}) {
  const away = new SignedPlane(plane.clock);
  away.fault = () => new Response(null, { status: 503 });
  away.signer = plane.signer;
  away.published = [];
  const watched = nodeOn(away, { ...options, ...more });
  t.after(() => watched.node.close());
  await until(() => plane.clock.pass(1000).then(() => watched.node.state().failure !== null));
  return watched;
}

for (const feedKeys of ['jwks', undefined] as const) {
  test(`a node that starts from the cache verifies it with ${feedKeys ?? 'pinned'} keys`, async (t) => {
    const scene = await cached(t, feedKeys);
    const { node } = await startedFromCache(t, scene);
    equal(node.state().source, 'cache');
    equal(node.state().version, scene.plane.version);
    ok(node.verify(scene.kept, { scopes: ['a'] }).allowed);
    equal(node.verify(scene.revoked).allowed, false);
  });
}

test('a signed cache is rejected by a node with different feed keys, and by a node with none', async (t) => {
  const scene = await cached(t);
  const { jwk } = newSigner('first');
  const other = await startedFromCache(t, scene, { feedKeys: { keys: [jwk] } });
  equal(other.node.state().version, null);
  match(other.logged.join(), /ignoring the policy cache: .* could not be verified/);
  const plain = await startedFromCache(t, scene, { feedKeys: undefined });
  equal(plain.node.state().version, null);
});

test('without a list of signing keys, a node neither uses nor removes the cache', async (t) => {
  const scene = await cached(t, 'jwks');
  await rm(await newestFile(scene.cacheDir, '.keys'));
  const { node } = await startedFromCache(t, scene);
  equal(node.state().version, null);
  ok((await readFile(await newestFile(scene.cacheDir, '.policy'))).length > 0);
});

type Record_ = { headers: Record<string, string>; body: string };
type File = { head: Record<string, unknown>; records: Record_[] };

function parseFile(plain: Buffer): File {
  const pieces: Buffer[] = [];
  for (let at = 0; at < plain.length; ) {
    const length = plain.readUInt32BE(at);
    pieces.push(plain.subarray(at + 4, at + 4 + length));
    at += 4 + length;
  }
  const [head = Buffer.alloc(0), ...rest] = pieces;
  const records: Record_[] = [];
  for (let at = 0; at < rest.length; at += 2) {
    const body = inflateRawSync(rest[at + 1] ?? Buffer.alloc(0)).toString();
    records.push({ headers: JSON.parse(String(rest[at])), body });
  }
  return { head: JSON.parse(head.toString()), records };
}

function fileBytes({ head, records }: File): Buffer {
  const framed = (bytes: Buffer) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    return Buffer.concat([length, bytes]);
  };
  return Buffer.concat([
    framed(Buffer.from(JSON.stringify({ ...head, responses: records.length }))),
    ...records.flatMap(({ headers, body }) => [
      framed(Buffer.from(JSON.stringify(headers))),
      framed(deflateRawSync(body)),
    ]),
  ]);
}

const tamperings: [string, (file: File, other: File) => File][] = [
  [
    'a changed body',
    (file) => edited(file, 0, (r) => ({ ...r, body: r.body.replace('live', 'test') })),
  ],
  ['a revocation left out', (file) => ({ ...file, records: file.records.slice(0, -1) })],
  ['the version of the head', (file) => ({ ...file, head: { ...file.head, version: 99 } })],
  ['a page left out', (file) => ({ ...file, records: file.records.slice(1) })],
  ['the last page left out', (file) => ({ ...file, records: file.records.toSpliced(2, 1) })],
  [
    'a page twice',
    (file) => ({ ...file, records: [...file.records.slice(0, 1), ...file.records] }),
  ],
  ['pages in another order', (file) => ({ ...file, records: file.records.toReversed() })],
  [
    'a page of another deployment',
    (file, other) => edited(file, 1, () => other.records[1] as Record_),
  ],
  [
    'another signature',
    (file) => edited(file, 1, (r) => withHeader(r, 'signature', `keyrail=:${'A'.repeat(86)}==:`)),
  ],
  [
    'another request',
    (file) => edited(file, 1, (r) => withHeader(r, 'target', `${r.headers.target}&x=1`)),
  ],
  [
    'the request of another feed',
    (file) => edited(file, 0, (r) => withHeader(r, 'target', '/v1/policy/snapshot?x=1')),
  ],
  ['nothing', (file) => ({ ...file, records: [] })],
];

const edited = (file: File, at: number, edit: (record: Record_) => Record_): File => ({
  ...file,
  records: file.records.map((record, index) => (index === at ? edit(record) : record)),
});

const withHeader = (record: Record_, name: string, value: string): Record_ => ({
  ...record,
  headers: { ...record.headers, [name]: value },
});

test('a cache altered by someone who has the secret key is rejected', async (t) => {
  const scene = await cached(t);
  const path = await newestFile(scene.cacheDir, '.policy');
  const file = parseFile((await readSealed(path, secretKey)).plain);
  const foreign = await cached(t);
  const otherPath = await newestFile(foreign.cacheDir, '.policy');
  const other = parseFile((await readSealed(otherPath, secretKey)).plain);
  const version = versionIn(secretKey, await readFile(path)) ?? 0;
  const writeFileOf = async (contents: File) => {
    await rm(path, { force: true });
    const pieces = [fileBytes(contents)];
    await writeSealed(path, { secretKey, version, pieces, isSynced: false });
  };
  const news = await newestFile(scene.cacheDir, '.news');
  const journal = await readFile(news);
  for (const [name, tamper] of tamperings) {
    await writeFile(news, journal);
    await writeFileOf(tamper(file, other));
    const { node, logged } = await startedFromCache(t, scene);
    equal(node.state().version, null, name);
    match(logged.join(), /ignoring the policy cache/, name);
    await node.close();
  }
  await writeFile(news, journal);
  await writeFileOf(file);
  const unaltered = await startedFromCache(t, scene);
  ok(unaltered.node.state().version !== null, unaltered.logged.join());
});

test('a policy file that is older or from another cache does not match the journal', async (t) => {
  const scene = await cached(t);
  const old = join(scene.above, 'old');
  await cp(scene.cacheDir, old, { recursive: true });
  const { node, clock } = await startedOn(t, scene.plane, scene.options);
  const before = await newestFile(scene.cacheDir, '.policy');
  for (let made = 0; made < 3; made += 1) {
    scene.plane.issue();
    await until(() => clock.pass(60_000).then(() => node.state().version === scene.plane.version));
  }
  scene.plane.revoke(scene.kept);
  await until(() => clock.pass(60_000).then(() => node.state().version === scene.plane.version));
  await node.close();
  const newest = await newestFile(scene.cacheDir, '.policy');
  ok(newest !== before, 'the policy file is newer');
  const saved = join(scene.above, 'saved');
  await cp(scene.cacheDir, saved, { recursive: true });
  const bytes = await readFile(await newestFile(old, '.policy'));
  for (const path of [newest, before]) {
    await rm(scene.cacheDir, { recursive: true });
    await cp(saved, scene.cacheDir, { recursive: true });
    await rm(newest);
    await writeFile(path, bytes);
    const { node: next } = await startedFromCache(t, scene);
    ok(!next.verify(scene.kept).allowed, 'the revoked key is rejected in any case');
  }
});

test('after a rotation, the cache is replaced by one signed with the new key', async (t) => {
  const scene = await cached(t, 'jwks');
  const { plane, options } = scene;
  const { node, clock } = await startedOn(t, plane, { ...options, pollMs: 60_000 });
  const next = newSigner('second');
  plane.published.push(next);
  plane.signer = next;
  const snapshots = () => plane.asked.filter(({ line }) => line === 'snapshot').length;
  const before = snapshots();
  await until(() => clock.pass(60_000).then(() => snapshots() >= before + 2));
  // The node sends its next poll once the pages it has loaded are in force.
  const asked = plane.asked.length;
  await until(() => clock.pass(60_000).then(() => plane.asked.length > asked));
  await node.close();
  plane.published = [next];
  const path = await newestFile(scene.cacheDir, '.policy');
  const { records } = parseFile((await readSealed(path, secretKey)).plain);
  ok(records.every(({ headers }) => headers.kid === 'second'));
  const { node: last } = await startedFromCache(t, scene, { feedKeys: plane.jwks });
  equal(last.state().version, plane.version);
});
