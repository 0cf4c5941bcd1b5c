// The policy cache restores exactly what was written and rejects everything else.
import { deepEqual, equal, ok } from 'node:assert/strict';
import {
  copyFile,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { chanceFrom } from '@keyrail/testing/seeded-scheduler.ts';
import { until } from '@keyrail/testing/until.ts';
import { SAVED_AT, timesAt, versionIn } from '../../../test/cache.ts';
import { entryOf, mixedEntryOf, sha256Hex, toldBy, uuidOf } from '../../../test/entries.ts';
import { manualClock } from '../../../test/manual-clock.ts';
import { nodeOn, Plane } from '../../../test/plane.ts';
import { secretKeyOf } from '../../../test/rig.ts';
import type { Policy } from '../state.ts';
import { PolicyTable } from '../table/table.ts';
import { type CacheParts, openDiskCache } from './cache.ts';

const KEYS = 300;

async function ground(t: TestContext, more: Partial<CacheParts> = {}) {
  const dir = await mkdtemp(join(tmpdir(), 'kr-cache-'));
  t.after(() => rm(dir, { recursive: true, force: true }));
  const clock = manualClock();
  const logged: string[] = [];
  const parts: CacheParts = {
    secretKey: secretKeyOf('live'),
    projectId: uuidOf(1, 9),
    env: null,
    tenantIds: [],
    clock,
    log: (_, message) => void logged.push(message),
    ...more,
  };
  const open = (other: Partial<CacheParts> = {}) => openDiskCache({ ...parts, ...other }, dir);
  const path = async (end = '.policy') =>
    join(dir, (await readdir(dir)).find((name) => name.endsWith(end)) ?? '');
  /** Returns a function that restores the current files. */
  const remembered = async () => {
    const names = await readdir(dir);
    const files = await Promise.all(names.map((name) => readFile(join(dir, name))));
    return async () => {
      for (const [at, name] of names.entries()) await writeFile(join(dir, name), files[at] ?? '');
    };
  };
  return { dir, clock, logged, open, path, remembered };
}

function policyWith(keys: number, version = 5, env: Policy['env'] = null): Policy {
  const table = new PolicyTable();
  const chance = chanceFrom(keys);
  for (let number = 0; number < keys; number += 1) table.set(mixedEntryOf(number, chance));
  for (let number = 0; number < keys; number += 5) table.delete(sha256Hex(`key ${number}`));
  return { table, version, workspaceId: uuidOf(2, 9), env, projectDeleted: false };
}

async function written(t: TestContext, policy: Policy = policyWith(KEYS)) {
  const held = await ground(t);
  const cache = held.open();
  await cache.load();
  cache.keep(policy, timesAt(SAVED_AT));
  await cache.close();
  return held;
}

test('a cached policy is restored exactly, key by key', async (t) => {
  for (const keys of [0, 1, KEYS, 9_000]) {
    const policy = policyWith(keys);
    const { open } = await written(t, policy);
    const kept = await open().load();
    ok(kept);
    const { table, ...rest } = kept.policy;
    const { table: before, ...expected } = policy;
    deepEqual({ ...rest, savedAt: kept.savedAt }, { ...expected, savedAt: SAVED_AT });
    equal(table.size, before.size);
    equal(table.ids.importedSize, before.ids.importedSize);
    for (let number = 0; number < keys; number += 1) {
      const hash = sha256Hex(`key ${number}`);
      deepEqual(toldBy(table, hash), toldBy(before, hash));
    }
    // The restored table stays usable: free rows are reused, and shared values are released.
    const chance = chanceFrom(9);
    for (let number = 0; number < 50; number += 1) table.set(entryOf(number, chance));
    for (let number = 0; number < keys + 50; number += 1) table.delete(sha256Hex(`key ${number}`));
    deepEqual([table.size, table.ids.importedSize, table.pool.sources()], [0, 0, []]);
  }
});

test('files damaged in a thousand different ways are all rejected', async (t) => {
  const { open, path, remembered } = await written(t);
  const restore = await remembered();
  const file = await path();
  const whole = await readFile(file);
  const chance = chanceFrom(Number(process.env.KEYRAIL_TEST_FIRST_SEED ?? 1));
  const kinds: Record<string, () => Buffer> = {
    'a bit': () => {
      const bytes = Buffer.from(whole);
      const at = chance.below(bytes.length);
      bytes[at] = (bytes[at] ?? 0) ^ (1 << chance.below(8));
      return bytes;
    },
    'an end': () => whole.subarray(0, chance.below(whole.length)),
    'no tag': () => whole.subarray(0, whole.length - 1 - chance.below(16)),
    'a tag of zeros': () => Buffer.concat([whole.subarray(0, -16), Buffer.alloc(16)]),
    more: () => Buffer.concat([whole, Buffer.alloc(1 + chance.below(40))]),
    'a piece twice': () => {
      const at = chance.below(whole.length - 100);
      return Buffer.concat([whole.subarray(0, at + 80), whole.subarray(at)]);
    },
    'a piece of zeros': () => Buffer.from(whole).fill(0, chance.below(whole.length - 16)),
    noise: () => Buffer.from(Array.from({ length: whole.length }, () => chance.below(256))),
  };
  const names = Object.keys(kinds);
  for (let damage = 0; damage < 1_000; damage += 1) {
    const name = names[damage % names.length] ?? '';
    const bytes = kinds[name]?.() ?? Buffer.alloc(0);
    if (bytes.equals(whole)) continue;
    await restore();
    await writeFile(file, bytes);
    equal(await open().load(), null, `${name}, damage ${damage}`);
  }
  await restore();
  ok(await open().load(), 'the undamaged file is loaded');
});

test('a cache file for a different secret key, project or filter is rejected', async (t) => {
  const { open, path, remembered } = await written(t);
  const restore = await remembered();
  const file = await path();
  const whole = await readFile(file);
  const others: Partial<CacheParts>[] = [
    { secretKey: secretKeyOf('test') },
    { projectId: uuidOf(3, 9) },
    { env: 'live' },
    { tenantIds: [uuidOf(4, 9)] },
  ];
  for (const other of others) {
    // Each cache has its own file name; copy the file to that name.
    const cache = open(other);
    equal(await cache.load(), null);
    cache.keep(policyWith(1), timesAt(SAVED_AT));
    await cache.close();
    const names = await readdir(join(file, '..'));
    for (const name of names.filter((each) => each.endsWith('.policy')))
      await writeFile(join(file, '..', name), whole);
    equal(await open(other).load(), null, JSON.stringify(Object.keys(other)));
    await restore();
  }
  ok(await open().load());
});

test('only the owner can read the cache file, and no partial file remains', async (t) => {
  const { dir, path } = await written(t);
  equal((await stat(await path())).mode & 0o777, 0o600);
  equal((await readdir(dir)).length, 2, 'the policy and its journal');
});

test('a slower process does not overwrite a newer cache file', async (t) => {
  const { open } = await written(t, policyWith(10, 9));
  const slow = open();
  slow.keep(policyWith(3, 8), timesAt(SAVED_AT));
  await slow.close();
  equal((await open().load())?.policy.version, 9);
});

test('a slow write does not replace a newer cache file written in the meantime', async (t) => {
  const { dir, open } = await ground(t);
  const slow = open();
  const quick = open();
  await slow.load();
  slow.keep(policyWith(30_000, 8), timesAt(SAVED_AT));
  quick.keep(policyWith(3, 9), timesAt(SAVED_AT));
  await Promise.all([slow.close(), quick.close()]);
  equal((await open().load())?.policy.version, 9);
  equal((await readdir(dir)).length, 2, 'the policy and its journal');
});

test('with many concurrent writers, the newest version wins', async (t) => {
  const { dir, open } = await ground(t);
  for (let round = 0; round < 30; round += 1) {
    const versions = Array.from({ length: 8 }, (_, at) => 8 * round + at + 1);
    const caches = versions.map((version) => {
      const cache = open();
      cache.keep(policyWith(3, version), timesAt(SAVED_AT));
      return cache;
    });
    await Promise.all(caches.map((cache) => cache.close()));
    equal((await open().load())?.policy.version, versions.at(-1));
  }
  equal((await readdir(dir)).length, 2, 'the policy and its journal');
});

test('cache writes are delayed, and are not repeated if nothing has changed', async (t) => {
  const { dir, clock, open } = await ground(t);
  const cache = open();
  await cache.load();
  for (let version = 1; version < 100; version += 1)
    cache.keep(policyWith(2, version), timesAt(SAVED_AT));
  await clock.pass(500);
  deepEqual(await readdir(dir), []);
  await clock.pass(600);
  await cache.close();
  equal((await open().load())?.policy.version, 99);
  equal(clock.timers(), 0);
});

test('a node killed seconds after a revocation and restarted offline rejects the key', async (t) => {
  const { dir } = await ground(t);
  const plane = new Plane();
  const first = nodeOn(plane, { cacheDir: dir });
  t.after(() => first.node.close());
  await until(() => first.clock.pass(1).then(() => first.node.state().version !== null));
  const revoked = plane.issue();
  const narrowed = plane.issue({ scopes: ['a'] });
  const writtenAt = async () => {
    await first.clock.pass(0);
    return versionIn(dir);
  };
  await first.clock.pass(2_000);
  await until(async () => (await writtenAt()) === plane.version);

  for (const act of [() => plane.revoke(revoked), () => plane.change(narrowed, { scopes: [] })]) {
    act();
    await first.clock.pass(3_000);
    await until(async () => (await writtenAt()) === plane.version);
  }
  plane.fault = () => Promise.reject(new TypeError('fetch failed'));
  const second = nodeOn(plane, { cacheDir: dir });
  t.after(() => second.node.close());
  equal(await second.node.ready(), true);
  deepEqual(
    [second.node.state().source, second.node.verify(revoked), second.node.verify(narrowed)].map(
      (said) => (typeof said === 'string' ? said : said.allowed || said.reason),
    ),
    ['cache', 'unknown_key', true],
  );
  equal(second.node.verify(narrowed, { scopes: ['a'] }).allowed, false);
});

test('partial files left by a crash are removed, but those of another writer are kept', async (t) => {
  const { dir, path, open } = await written(t);
  const old = `${await path()}.0011`;
  const fresh = `${await path()}.2233`;
  await writeFile(old, 'half');
  await writeFile(fresh, 'half');
  const long = manualClock().now() / 1000 - 7_200;
  await utimes(old, long, long);
  await utimes(fresh, long + 7_100, long + 7_100);
  ok(await open().load());
  deepEqual((await readdir(dir)).filter((name) => !/\.(policy|news)$/.test(name)).length, 1);
});

test('files that an earlier SDK wrote without a version in the name are removed', async (t) => {
  const { dir, path, open } = await written(t);
  const newest = await path();
  const before = await readdir(dir);
  const old = newest.replace(/\.\d+\.policy$/, '');
  await copyFile(newest, `${old}.policy`);
  await copyFile(newest, `${old}.news`);
  equal((await open().load())?.policy.version, 5);
  deepEqual(await readdir(dir), before);
});

test('an unusable cache directory causes only a warning', async (t) => {
  const { dir, logged } = await ground(t);
  const inTheWay = join(dir, 'file');
  await writeFile(inTheWay, 'not a directory');
  const log = (_: string, message: string) => void logged.push(message);
  const clock = manualClock();
  const parts = { secretKey: secretKeyOf('live'), projectId: uuidOf(1, 9), env: null, log, clock };
  const cache = openDiskCache({ ...parts, tenantIds: [] }, inTheWay);
  equal(await cache.load(), null);
  cache.keep(policyWith(1), timesAt(SAVED_AT));
  await cache.close();
  equal(await readFile(inTheWay, 'utf8'), 'not a directory');
  ok(logged.some((line) => line.includes('failed to write the policy cache')));
});
