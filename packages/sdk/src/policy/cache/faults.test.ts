// The policy cache under adverse conditions: failing disks, processes that share the directory,
// mismatched files, and unfortunate timing.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { copyFile, mkdir, readdir, rename, rm, rmdir, symlink, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { chanceFrom } from '@keyrail/testing/seeded-scheduler.ts';
import { until } from '@keyrail/testing/until.ts';
import {
  change,
  ground,
  newestFile,
  policyWith,
  removal,
  SAVED_AT,
  timesAt,
  wholeWritten,
  written,
} from '../../../test/cache.ts';
import { entryOf, sha256Hex, toldBy, uuidOf } from '../../../test/entries.ts';
import { manualClock } from '../../../test/manual-clock.ts';
import { secretKeyOf } from '../../../test/rig.ts';
import { applyJournal, Journal } from './journal.ts';

test('a revocation that arrives while the first policy file is being written is in the journal as soon as that file exists', async (t) => {
  const { clock, open, versionOf } = await ground(t);
  const cache = open();
  await cache.load();
  const policy = policyWith(30_000, 5);
  cache.keep(policy, timesAt(SAVED_AT));
  await clock.pass(1_000);
  equal(await versionOf('policy'), null, 'the policy file is still being written');
  change(cache, policy, [removal(7)]);
  // As soon as the policy file exists, its journal exists too.
  await until(async () => (await versionOf('policy')) === 5);
  equal(await versionOf('news'), 6);
  const kept = await open().load();
  equal(kept?.policy.version, 6);
  equal(kept && toldBy(kept.policy.table, sha256Hex('key 7')), null);
});

test('after a long time without changes, a new snapshot is written within a second, regardless of its size', async (t) => {
  const { clock, open, versionOf, newsLeadTo } = await ground(t);
  const cache = open();
  await cache.load();
  cache.keep(policyWith(20_000, 5), timesAt(SAVED_AT));
  await wholeWritten(clock, () => versionOf('policy'));
  await clock.pass(600_000);
  const policy = policyWith(19_000, 9);
  cache.keep(policy, timesAt(SAVED_AT));
  await clock.pass(1_000);
  await until(async () => (await versionOf('policy')) === 9);
  change(cache, policy, [removal(7)]);
  await newsLeadTo(10);
  equal((await open().load())?.policy.table.size, 18_999);
});

test('closing writes the journal first, because the policy file may take too long', async (t) => {
  const { clock, versionOf, cache, policy } = await written(t, 10, 1);
  change(cache, policy, [removal(1)]);
  await cache.close();
  deepEqual([await versionOf('news'), await versionOf('policy')], [2, 2]);
  change(cache, policy, [removal(2)]);
  equal(clock.timers(), 0);
});

test('a deleted policy file is written again before the next journal', async (t) => {
  const { dir, clock, open, versionOf, cache, policy } = await written(t, 10, 1);
  await unlink(await newestFile(dir, '.policy'));
  change(cache, policy, [removal(1)]);
  // The cache reads the disk in real time, so the clock advances in small steps. It stops before
  // half a minute, after which the policy file would be written in any case.
  await until(async () => {
    await sleep(10);
    await clock.pass(clock.monotonicMs() < 20_000 ? 1_000 : 0);
    return (await versionOf('policy')) === 2;
  });
  equal((await open().load())?.policy.table.size, 9);
});

test('an older policy file is ignored, and never combined with a journal that starts later', async (t) => {
  const { above, dir, clock, logged, open, versionOf, cache, policy } = await written(t, 10, 1);
  const first = join(above, 'first');
  const name = await newestFile(dir, '.policy');
  await copyFile(name, first);
  change(cache, policy, [removal(1)]);
  await clock.pass(40_000);
  await until(async () => (await versionOf('policy')) === 2);
  change(cache, policy, [removal(2)]);
  await clock.pass(2_000);
  await until(async () => (await versionOf('news')) === 3);
  // Simulates another process that checked the version before this write and replaces the file
  // after it.
  await copyFile(first, name);
  equal((await open().load())?.policy.version, 3);
  equal(logged.length, 0);
  await unlink(await newestFile(dir, '.policy'));
  equal(await open().load(), null);
  ok(logged.some((line) => line.includes('missing')));
});

test('a journal is not applied to a policy with a different history', async (t) => {
  const { dir, open, versionOf } = await ground(t);
  const oneClock = manualClock();
  const otherClock = manualClock();
  const one = open(dir, { clock: oneClock });
  const other = open(dir, { clock: otherClock });
  await one.load();
  const policy = policyWith(10, 5);
  one.keep(policy, timesAt(SAVED_AT));
  await wholeWritten(oneClock, () => versionOf('policy'));
  const kept = await other.load();
  ok(kept);
  // One node gets two keys. Then the database is restored, so the other node gets neither of them.
  const chance = chanceFrom(1);
  for (const number of [50, 51])
    change(one, policy, [{ kind: 'upsert', entry: entryOf(number, chance) }]);
  await one.close();
  equal(await versionOf('policy'), 7);
  for (const number of [1, 2, 3]) change(other, kept.policy, [removal(number)]);
  await otherClock.pass(0);
  await until(async () => (await versionOf('news')) === 8);
  const found = await open().load();
  ok(!found || found.policy.table.size === 7, `${found?.policy.table.size} keys of two histories`);
});

test('a node does not touch cache files that belong to a different secret key', async (t) => {
  const { dir, clock, open, cache: old, policy } = await written(t, 10, 1);
  const byOther = { secretKey: secretKeyOf('test'), clock: manualClock() };
  const fresh = open(dir, byOther);
  equal(await fresh.load(), null);
  fresh.keep(policyWith(10, 1), timesAt(SAVED_AT));
  await fresh.close();
  change(old, policy, [removal(1)]);
  await clock.pass(0);
  await until(async () => (await readdir(dir)).some((name) => name.endsWith('.news')));
  equal((await open(dir, byOther).load())?.policy.version, 1);
  equal((await open().load())?.policy.version, 2);
});

test('a failed cache write is retried and leaves no partial files', async (t) => {
  const { dir, clock, logged, open, versionOf } = await ground(t);
  const cache = open();
  await cache.load();
  const other = open(dir, { clock: manualClock() });
  other.keep(policyWith(1, 1), timesAt(SAVED_AT));
  await other.close();
  const old = await newestFile(dir, '.policy');
  await rm(old);
  const name = old.replace('.1.', '.2.');
  await mkdir(join(name, 'in the way'), { recursive: true });
  cache.keep(policyWith(10, 2), timesAt(SAVED_AT));
  await clock.pass(1_000);
  await until(async () => logged.some((line) => line.includes('failed to write the policy cache')));
  const isWhole = (each: string) => /\.(policy|news)$/.test(each);
  await until(async () => (await readdir(dir)).every(isWhole));
  await rmdir(join(name, 'in the way'));
  await rmdir(name);
  await until(async () => {
    await clock.pass(60_000);
    return (await versionOf('policy')) === 2;
  });
  equal((await open().load())?.policy.version, 2);
  await cache.close();
  equal(clock.timers(), 0);
});

test('a policy that cannot be serialized is not written, and the node keeps working', async (t) => {
  const { clock, logged, open } = await ground(t);
  const cache = open();
  await cache.load();
  const policy = policyWith(10, 1);
  policy.table.show = () => {
    throw new RangeError('Invalid string length');
  };
  cache.keep(policy, timesAt(SAVED_AT));
  await clock.pass(1_500);
  await cache.close();
  equal(logged.filter((line) => line.includes('Invalid string length')).length, 2);
});

test('files that are temporarily unreadable are not removed', async (t) => {
  const { above, dir, logged, open, cache, policy, newsLeadTo } = await written(t, 10, 1);
  change(cache, policy, [removal(1)]);
  await newsLeadTo(2);
  for (const end of ['.policy', '.news'] as const) {
    const name = await newestFile(dir, end);
    await rename(name, join(above, 'aside'));
    await symlink(name, name); // as if there were too many open files
    equal(await open().load(), null);
    await rename(join(above, 'aside'), name);
    equal((await open().load())?.policy.version, 2);
  }
  equal(logged.length, 2);
});

test('a directory removed while a node is running is reported, and created again on the next start', async (t) => {
  const { dir, clock, logged, open, cache, policy, newsLeadTo } = await written(t, 10, 1);
  change(cache, policy, [removal(1)]);
  await newsLeadTo(2);
  await rm(dir, { recursive: true });
  await clock.pass(2_000); // by now, the journal would be synced
  equal(logged.length, 0);
  change(cache, policy, [removal(2)]);
  equal(await cache.secure(), true, 'without files, no key can come back');
  await cache.close();
  ok(logged.some((line) => line.includes('failed to write the policy cache')));
  const next = open();
  equal(await next.load(), null);
  next.keep(policy, timesAt(SAVED_AT));
  await next.close();
  equal((await open().load())?.policy.version, 3);
});

test('versions without changes do not accumulate in the journal', () => {
  const log = new Journal();
  log.add(1, 2, [removal(1)]);
  for (let version = 2; version < 100; version += 1) log.add(version, version + 1, []);
  log.forget(50);
  // If the journal stored every version, it would have dropped the first fifty by now.
  ok(log.follows(1));
});

test('a reader never gets an older version while another process writes', async (t) => {
  const { dir, open, versionOf } = await ground(t);
  const clock = manualClock();
  const cache = open(dir, { clock });
  await cache.load();
  const policy = policyWith(500, 1);
  cache.keep(policy, timesAt(SAVED_AT));
  await wholeWritten(clock, () => versionOf('policy'));
  let isOver = false;
  const write = async () => {
    for (let number = 0; number < 150; number += 1) {
      change(cache, policy, [removal(number)]);
      await clock.pass(number % 3 === 0 ? 40_000 : 1_100);
    }
    isOver = true;
  };
  const read = async () => {
    while (!isOver) {
      const before = Math.max(Number(await versionOf('policy')), Number(await versionOf('news')));
      const kept = await open().load();
      ok(kept && kept.policy.version >= before, `${kept?.policy.version} of ${before}`);
      equal(kept.policy.table.size, 501 - kept.policy.version);
    }
  };
  await Promise.all([write(), read(), read()]);
  await cache.close();
});

test('applying a long journal does not block the event loop', async () => {
  const belonging = { projectId: uuidOf(1, 9), env: null, tenantIds: [] };
  const chance = chanceFrom(4);
  const entries = Array.from({ length: 6_000 }, (_, number) => entryOf(number, chance));
  const log = new Journal();
  log.add(
    1,
    2,
    entries.map((entry) => ({ kind: 'upsert', entry })),
  );
  const after = policyWith(0, 2);
  for (const entry of entries) after.table.set(entry);
  const plain = Buffer.concat(
    log.pieces({ policy: after, savedAt: SAVED_AT, confirmedAt: 0 }, belonging),
  );
  const sizes = [0];
  const policy = policyWith(0, 1);
  const breathe = async () => void sizes.push(policy.table.size);
  const applied = await applyJournal({ policy, savedAt: 0, confirmedAt: 0 }, plain, {
    belonging,
    breathe,
  });
  ok(typeof applied === 'object' && applied.kept.policy.version === 2);
  const steps = sizes.slice(1).map((size, at) => size - (sizes[at] ?? 0));
  ok(Math.max(...steps) <= 500, `${Math.max(...steps)} in one turn`);
  equal(sizes.at(-1), 6_000);
});
