// How a node handles imported keys: which strings it hashes, and what it decides.
import { deepEqual, equal, ok } from 'node:assert/strict';
import crypto, { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { until } from '@keyrail/testing/until.ts';
import { sha256Hex } from '../../test/entries.ts';
import { nodeOn, Plane, type Watched } from '../../test/plane.ts';
import type { KeyrailOptions } from '../api/options.ts';
import type { RouteOptions } from '../api/route.ts';

const TEXT = 'acme_live_4eC39HqLyjWDarjtT1zdp7';

async function ready(plane: Plane, options: Partial<KeyrailOptions> = {}): Promise<Watched> {
  const watched = nodeOn(plane, options);
  equal(await watched.node.ready(), true);
  return watched;
}

const reason = ({ node }: Watched, text: string, route: RouteOptions = {}): string => {
  const decision = node.verify(text, route);
  return decision.allowed ? 'allowed' : decision.reason;
};

/** Resolves when the node has the control plane's newest policy version. */
const caughtUp = ({ node, plane, clock }: Watched) =>
  until(async () => {
    await clock.pass(100);
    return node.state().version === plane.version;
  });

/** Starts counting the hashes that the SDK computes. */
function countHashes(t: TestContext): () => number {
  const { mock } = t.mock.method(crypto, 'hash');
  syncBuiltinESMExports();
  t.after(() => {
    mock.restore();
    syncBuiltinESMExports();
  });
  return () => mock.callCount();
}

test('a node without imported keys hashes only strings in the native format', async (t) => {
  const plane = new Plane();
  const native = plane.issue();
  const watched = await ready(plane);
  const hashes = countHashes(t);
  for (const text of [TEXT, 'x'.repeat(8), 'kr_live_short', `${native}x`]) {
    equal(reason(watched, text), 'malformed_key');
  }
  equal(hashes(), 0);
  equal(reason(watched, native), 'allowed');
  equal(hashes(), 1);
  const typo = native.slice(0, -1) + (native.endsWith('0') ? '1' : '0');
  equal(reason(watched, typo), 'malformed_key', 'its checksum is wrong');
  await watched.node.close();
});

test('a node with imported keys hashes only strings that could be keys', async (t) => {
  const plane = new Plane();
  plane.import(TEXT);
  const longest = plane.import('~'.repeat(512));
  const shortest = plane.import('a b c d!');
  const own = ['kr_live_imported', 'krsk_live_imported', 'krses_imported'];
  for (const text of own) plane.import(text);
  plane.import('x'.repeat(513));
  plane.import('7 chars');
  plane.import('ünicode key');
  const watched = await ready(plane);
  const hashes = countHashes(t);
  const never = ['7 chars', 'x'.repeat(513), 'ünicode key', 'control\u007f', 'tab\tin it', ...own];
  for (const text of never) equal(reason(watched, text), 'malformed_key', text);
  equal(hashes(), 0);
  for (const text of [TEXT, longest, shortest]) equal(reason(watched, text), 'allowed');
  equal(reason(watched, `${TEXT} `), 'unknown_key');
  equal(hashes(), 4);
  await watched.node.close();
});

test("an imported key's environment and display prefix come from its policy entry", async () => {
  const plane = new Plane();
  const prefix = 'Globex, since 2019 (old)';
  plane.import(TEXT, {
    env: 'test',
    display_prefix: prefix,
    scopes: ['a'],
    tenant_id: randomUUID(),
  });
  const native = plane.issue({ env: 'live' });
  const resources = { live: 'live database', test: 'test database' };
  const watched = await ready(plane, { resources });
  const decision = watched.node.verify(TEXT);
  ok(decision.allowed);
  const { env, displayPrefix, resources: given, scopes } = decision.context;
  deepEqual([env, displayPrefix, given, [...scopes]], ['test', prefix, 'test database', ['a']]);
  equal(reason(watched, TEXT, { env: 'live' }), 'wrong_environment');
  equal(reason(watched, TEXT, { env: 'test' }), 'allowed');
  equal(reason(watched, TEXT, { scopes: ['b'] }), 'insufficient_scope');
  const denied = watched.node.verify(TEXT, { env: 'live' });
  ok(!denied.allowed);
  deepEqual([denied.key?.env, denied.key?.displayPrefix], ['test', prefix]);
  const unknown = watched.node.verify(`${TEXT}x`);
  ok(!unknown.allowed);
  equal(unknown.key, null, 'nothing about an unknown string is reported');
  equal(reason(watched, native, { env: 'live' }), 'allowed');
  await watched.node.close();
});

test('a string in the native format never matches an imported key', async () => {
  const elsewhere = new Plane();
  const live = elsewhere.issue({ env: 'live' });
  const testing = elsewhere.issue({ env: 'test' });
  const plane = new Plane();
  plane.import(live, { env: 'test' });
  plane.import(testing, { env: 'live' });
  const same = elsewhere.issue({ env: 'live' });
  plane.import(same, { env: 'live' });
  const watched = await ready(plane);
  for (const text of [live, testing, same]) {
    for (const route of [{}, { env: 'live' }, { env: 'test' }] as const) {
      equal(reason(watched, text, route), 'unknown_key');
    }
  }
  await watched.node.close();
});

test('an expired imported key is rejected', async () => {
  const plane = new Plane();
  const at = new Date(plane.clock.now() + 1_000).toISOString();
  plane.import(TEXT, { expires_at: at });
  const watched = await ready(plane);
  equal(reason(watched, TEXT), 'allowed');
  await watched.clock.pass(1_000);
  equal(reason(watched, TEXT), 'expired');
  await watched.node.close();
});

test('a string in any other format only matches imported keys', async () => {
  const plane = new Plane();
  plane.issue({ lookup_hash: sha256Hex(TEXT) });
  plane.import('another key');
  const watched = await ready(plane);
  equal(reason(watched, TEXT), 'unknown_key');
  await watched.node.close();
});

test('snapshots, deltas, removals and a start from the cache leave the correct number of imported keys', async (t) => {
  const cacheDir = await mkdtemp(join(tmpdir(), 'kr-imported-'));
  t.after(() => rm(cacheDir, { recursive: true, force: true }));
  const plane = new Plane();
  plane.issue();
  const first = await ready(plane, { cacheDir });
  const hashes = countHashes(t);
  const isHashed = (watched: Watched) => {
    const before = hashes();
    const why = reason(watched, 'some unknown text');
    equal(why, hashes() > before ? 'unknown_key' : 'malformed_key');
    return hashes() > before;
  };
  equal(isHashed(first), false);
  plane.import(TEXT);
  await caughtUp(first);
  deepEqual([isHashed(first), reason(first, TEXT)], [true, 'allowed']);
  plane.change(TEXT, { scopes: ['b'] });
  plane.import('the second imported key');
  await caughtUp(first);
  plane.revoke(TEXT);
  await caughtUp(first);
  deepEqual([isHashed(first), reason(first, TEXT)], [true, 'unknown_key']);
  await first.node.close();

  // The control plane is unreachable, so the policy now comes from the cache alone.
  plane.fault = () => Promise.reject(new TypeError('fetch failed'));
  const second = await ready(plane, { cacheDir });
  equal(second.node.state().source, 'cache');
  deepEqual([isHashed(second), reason(second, 'the second imported key')], [true, 'allowed']);
  plane.fault = () => null;
  plane.revoke('the second imported key');
  await caughtUp(second);
  equal(isHashed(second), false, 'the last imported key was removed');
  plane.import(TEXT);
  plane.floor = plane.version - 1;
  await caughtUp(second);
  deepEqual([isHashed(second), reason(second, TEXT)], [true, 'allowed'], 'a new snapshot');
  plane.revoke(TEXT);
  plane.floor = plane.version - 1;
  await caughtUp(second);
  equal(isHashed(second), false);
  await second.node.close();
});
