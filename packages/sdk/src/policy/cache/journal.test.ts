// The journal outlives the process: whenever the process is killed, a restart finds the policy
// exactly as it was at one version, with every written revocation.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { watch } from 'node:fs';
import {
  copyFile,
  cp,
  mkdir,
  readdir,
  readFile,
  unlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { type Chance, chanceFrom } from '@keyrail/testing/seeded-scheduler.ts';
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
import { entryOf, sha256Hex, toldBy } from '../../../test/entries.ts';
import { manualClock } from '../../../test/manual-clock.ts';
import type { Change, Entry } from '../table/table.ts';

test('a revocation is written immediately, even with many keys', async (t) => {
  const { open, versionOf, cache, policy, newsLeadTo } = await written(t, 20_000, 5);
  change(cache, policy, [removal(7)]);
  await newsLeadTo(6);
  equal(await versionOf('policy'), 5, 'the policy file is not rewritten');

  // The cache is deliberately not closed, to simulate a kill.
  const kept = await open().load();
  deepEqual([kept?.policy.version, kept?.savedAt], [6, SAVED_AT + 6]);
  equal(kept?.policy.table.size, 19_999);
  equal(kept && toldBy(kept.policy.table, sha256Hex('key 7')), null);
});

test('imported keys in the journal are restored as imported', async (t) => {
  const { open, cache, policy, newsLeadTo } = await written(t, 20, 5);
  const entry: Entry = { ...entryOf(50, chanceFrom(1)), importedPrefix: 'Old key' };
  // A removal is written immediately, and the new key with it.
  change(cache, policy, [{ kind: 'upsert', entry }, removal(7)]);
  await newsLeadTo(6);
  const kept = await open().load();
  equal(kept?.policy.table.ids.importedSize, 1);
  deepEqual(kept && toldBy(kept.policy.table, entry.lookupHash), entry);
});

test('in a long series of revocations, each one is written before it is acknowledged', async (t) => {
  const { open, versionOf, cache, policy } = await written(t, 100, 1);
  for (let number = 0; number < 50; number += 1) {
    change(cache, policy, [removal(number)]);
    equal(await cache.secure(), true);
    equal(await versionOf('news'), policy.version);
  }
  equal((await open().load())?.policy.table.size, 50);
});

test('revocations that arrive during a write share the next write', async (t) => {
  const { dir, open, cache, policy } = await written(t, 100, 1);
  const names = new Set<string>();
  const watcher = watch(dir, (_, name) => names.add(name ?? ''));
  t.after(() => watcher.close());
  for (let number = 0; number < 50; number += 1) change(cache, policy, [removal(number)]);
  equal(await cache.secure(), true);
  await until(() => [...names].some((name) => name.endsWith('.news')));
  // Each write creates a file with a unique name.
  const begun = [...names].filter((name) => /\.news\.[0-9a-f]+$/.test(name));
  ok(begun.length <= 2, `${begun.length} writes`);
  equal((await open().load())?.policy.table.size, 50);
});

test('a node that starts with a journal keeps it when more changes arrive', async (t) => {
  const { open, versionOf, cache: first, policy, newsLeadTo } = await written(t, 10, 1);
  change(first, policy, [removal(1)]);
  await newsLeadTo(2);

  const second = open();
  const kept = await second.load();
  ok(kept);
  change(second, kept.policy, [removal(2)]);
  await newsLeadTo(3);
  equal(await versionOf('policy'), 1);
  equal((await open().load())?.policy.table.size, 8);
});

test('a damaged journal is rejected together with its policy file', async (t) => {
  const { above, dir, logged, open, cache, policy, newsLeadTo } = await written(t, 10, 1);
  change(cache, policy, [removal(1)]);
  await newsLeadTo(2);
  const saved = join(above, 'saved');
  const chance = chanceFrom(3);
  await cp(dir, saved, { recursive: true });
  for (let round = 0; round < 100; round += 1) {
    const at = join(above, `round-${round}`);
    await cp(saved, at, { recursive: true });
    const name = await newestFile(at, '.news');
    const bytes = await readFile(name);
    if (round % 2 === 0) {
      const place = chance.below(bytes.length);
      bytes[place] = (bytes[place] ?? 0) ^ (1 << chance.below(8));
    }
    await writeFile(name, round % 2 === 0 ? bytes : bytes.subarray(0, chance.below(bytes.length)));
    equal(await open(at).load(), null, `round ${round}`);
    deepEqual(await readdir(at), []);
  }
  equal(logged.length, 100);
  ok(await open(saved).load());
});

test('a journal without its policy file is not used, and is removed when it is old', async (t) => {
  const { dir, clock, open, cache, policy, newsLeadTo } = await written(t, 10, 5);
  change(cache, policy, [removal(1)]);
  await newsLeadTo(6);
  await unlink(await newestFile(dir, '.policy'));
  // Another process may be about to write the policy file.
  equal(await open().load(), null);
  const [name = '', ...others] = await readdir(dir);
  deepEqual([name.endsWith('.news'), others], [true, []]);
  const longAgo = clock.now() / 1000 - 7_200;
  await utimes(join(dir, name), longAgo, longAgo);
  equal(await open().load(), null);
  deepEqual(await readdir(dir), []);
});

/** Copies all complete files. The policy file is copied last, because it can only get newer. */
async function copyNow(from: string, to: string): Promise<void> {
  await mkdir(to, { mode: 0o700 });
  for (const kind of ['.news', '.policy'] as const) {
    // A newer version may have replaced the file just found.
    await until(async () => {
      const path = await newestFile(from, kind);
      const name = basename(path);
      return copyFile(path, join(to, name)).then(
        () => true,
        () => name === 'none',
      );
    });
  }
}

/** Generates one round of changes on the control plane: new, changed and revoked keys. */
function stepOf(chance: Chance, model: Map<string, Entry>): Change[] {
  return Array.from({ length: 1 + chance.below(4) }, (): Change => {
    const number = chance.below(60);
    const entry = entryOf(number, chance);
    if (!chance.percent(55)) {
      model.delete(entry.lookupHash);
      return { kind: 'remove', lookupHash: entry.lookupHash };
    }
    model.set(entry.lookupHash, entry);
    return { kind: 'upsert', entry };
  });
}

test('after the process is killed at any moment, the restored policy matches exactly one version', async (t) => {
  for (let seed = 1; seed <= 6; seed += 1) {
    const { above, dir, open, versionOf } = await ground(t);
    let home = dir;
    let clock = manualClock();
    const chance = chanceFrom(seed);
    const model = new Map<string, Entry>();
    const history = new Map<number, Map<string, Entry>>();
    let cache = open(home, { clock });
    await cache.load();
    let policy = policyWith(0, 1);
    cache.keep(policy, timesAt(SAVED_AT));
    history.set(1, new Map());
    await wholeWritten(clock, () => versionOf('policy'));
    for (let step = 0; step < 40; step += 1) {
      change(cache, policy, stepOf(chance, model));
      history.set(policy.version, new Map(model));
      await clock.pass(chance.pick([0, 0, 10, 500, 1_500, 40_000]));
      const written = Math.max(
        ...(await Promise.all([versionOf('policy', home), versionOf('news', home)])).map(Number),
      );
      const at = join(above, `killed-${step}`);
      await copyNow(home, at);
      const kept = await open(at).load();
      ok(kept && kept.policy.version >= written, `${kept?.policy.version} of ${written}`);
      const then = history.get(kept.policy.version);
      equal(kept.policy.table.size, then?.size);
      for (let number = 0; number < 60; number += 1) {
        const hash = sha256Hex(`key ${number}`);
        const { env: _, ...entry } = then?.get(hash) ?? { env: null };
        deepEqual(toldBy(kept.policy.table, hash), then?.has(hash) ? entry : null);
      }
      if (!chance.percent(15)) continue;
      // Continue in the copy, where the killed process no longer writes.
      [home, clock] = [at, manualClock()];
      cache = open(home, { clock });
      policy = (await cache.load())?.policy ?? policy;
      model.clear();
      for (const [hash, entry] of history.get(policy.version) ?? []) model.set(hash, entry);
    }
    await cache.close();
  }
});
