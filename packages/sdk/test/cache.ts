// A directory with a policy cache, and a policy that tests can update in the same way as the feed.
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { chanceFrom } from '@keyrail/testing/seeded-scheduler.ts';
import { until } from '@keyrail/testing/until.ts';
import { type CacheParts, type DiskCache, openDiskCache } from '../src/policy/cache/cache.ts';
import { versionIn as versionOfFile } from '../src/policy/cache/format.ts';
import type { Policy } from '../src/policy/state.ts';
import { type Change, PolicyTable } from '../src/policy/table/table.ts';
import { entryOf, sha256Hex, uuidOf } from './entries.ts';
import { type ManualClock, manualClock } from './manual-clock.ts';
import { secretKeyOf } from './rig.ts';

export const SAVED_AT = Date.UTC(2026, 2, 1);
export const timesAt = (at: number) => ({ savedAt: at, confirmedAt: at });

/** Returns the highest version in any of a cache's files; 0 if there are none. */
export async function versionIn(dir: string, secretKey = secretKeyOf('live')): Promise<number> {
  const names = (await readdir(dir)).filter((name) => /\.(policy|news)$/.test(name));
  const versions = await Promise.all(names.map((name) => versionAt(join(dir, name), secretKey)));
  return Math.max(0, ...versions.map(Number));
}

/**
 * Returns a file's version; null if it is missing, because a newer version may have replaced it.
 */
async function versionAt(path: string, secretKey: string): Promise<number | null> {
  const bytes = await readFile(path).catch(() => null);
  return bytes && versionOfFile(secretKey, bytes);
}

/** Returns the path of the newest file of a kind; if there is none, a path where no file exists. */
export async function newestFile(dir: string, end: '.policy' | '.news' | '.keys'): Promise<string> {
  const names = (await readdir(dir)).filter((name) => name.endsWith(end));
  const [newest = 'none'] = names.sort((a, b) => numberIn(b) - numberIn(a));
  return join(dir, newest);
}

const numberIn = (name: string): number => Number(/\.(\d+)\./.exec(name)?.[1] ?? 0);

export async function ground(t: TestContext) {
  const above = await mkdtemp(join(tmpdir(), 'kr-news-'));
  t.after(() => rm(above, { recursive: true, force: true }));
  const dir = join(above, 'cache');
  const clock = manualClock();
  const logged: string[] = [];
  const log = (_: string, message: string) => void logged.push(message);
  const parts = { secretKey: secretKeyOf('live'), projectId: uuidOf(1, 9), env: null, log };
  const open = (at = dir, more: Partial<CacheParts> = {}) =>
    openDiskCache({ ...parts, clock, tenantIds: [], ...more }, at);
  const versionOf = async (kind: 'policy' | 'news', at = dir) =>
    versionAt(await newestFile(at, `.${kind}`), secretKeyOf('live'));
  /** Resolves once the journal on disk contains the changes up to this version. */
  const newsLeadTo = (version: number) =>
    until(async () => {
      await clock.pass(0);
      return (await versionOf('news')) === version;
    });
  return { above, dir, clock, logged, open, versionOf, newsLeadTo };
}

/** Like `ground`, but also creates a cache that has written its policy file. */
export async function written(t: TestContext, keys: number, version: number) {
  const held = await ground(t);
  const cache = held.open();
  await cache.load();
  const policy = policyWith(keys, version);
  cache.keep(policy, timesAt(SAVED_AT));
  await wholeWritten(held.clock, () => held.versionOf('policy'));
  return { ...held, cache, policy };
}

export function policyWith(keys: number, version: number): Policy {
  const table = new PolicyTable();
  const chance = chanceFrom(keys);
  for (let number = 0; number < keys; number += 1) table.set(entryOf(number, chance));
  return { table, version, workspaceId: uuidOf(2, 9), env: null, projectDeleted: false };
}

export const removal = (number: number): Change => ({
  kind: 'remove',
  lookupHash: sha256Hex(`key ${number}`),
});

/** Advances the policy to its next version, as a delta from the feed does. */
export function change(cache: DiskCache, policy: Policy, changes: Change[]): void {
  const since = policy.version;
  const { size } = policy.table;
  policy.table.apply(changes);
  policy.version += 1;
  const isOnlyMore = policy.table.size === size + changes.length;
  cache.keep(policy, timesAt(SAVED_AT + policy.version), { since, changes, isOnlyMore });
}

export const wholeWritten = async (clock: ManualClock, version: () => Promise<number | null>) => {
  await clock.pass(1_100);
  await until(async () => {
    await clock.pass(0);
    return (await version()) !== null;
  });
};
