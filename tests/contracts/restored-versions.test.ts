// Contract for the fence that raises policy versions after a restore, tested with random histories:
// changes, backups, restores of any backup in any order, and changed clocks. A node that has seen a
// higher version than the database's keeps its policy, so after every restore the version must
// exceed every version ever seen.
import { ok } from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { fence } from '@keyrail/server/backup/fences.ts';
import { inRun } from '@keyrail/testing/full-run.ts';
import { type Chance, chanceOf, oneOf, upTo } from '@keyrail/testing/seeded-chance.ts';
import type pg from 'pg';
import { openStore, type Store } from './store.ts';

const HISTORIES = inRun({ usual: 40, full: 400 });
const STEPS = 14;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** How much the fence adds to the version when it can't rely on the clock. */
const AHEAD = 1_000_000_000;

let store: Store;
before(async () => {
  store = await openStore();
});
after(() => store.close());

type History = {
  session: pg.Client;
  between: (least: number, most: number) => number;
  nowMs: number;
  version: number;
  /** The highest version any node has seen. */
  seen: number;
  backups: number[];
  told: string[];
};

/** Makes changes over a random period, at a rate below one per millisecond. */
function change(history: History): void {
  const count = history.between(1, 100_000);
  history.version += count;
  history.nowMs += count + history.between(0, MINUTE_MS);
  history.seen = Math.max(history.seen, history.version);
  history.told.push(`${count} changes: ${history.version}`);
}

async function restore(history: History, backup: number, aheadOf: number): Promise<void> {
  const { session } = history;
  // How long the restore takes.
  history.nowMs += history.between(10_000, MINUTE_MS);
  await session.query(`update project_versions set version = ${backup}, floor = 1`);
  await session.query(`select set_config('kr.clock_shift_ms', (${history.nowMs}
    - (extract(epoch from clock_timestamp()) * 1000)::bigint)::text, false)`);
  await fence(session, { aheadOf });
  const { rows } = await session.query(
    'select version::float8, floor::float8 from project_versions',
  );
  const { version, floor } = Object(rows[0]);
  ok(version === floor, 'every node below takes a snapshot');
  history.version = version;
  history.told.push(`at ${history.nowMs}, restore of ${backup}, ahead of ${aheadOf}: ${version}`);
}

/**
 * Returns whether the fence, which knows only the backup and the clock, can exceed every version
 * that nodes have seen.
 */
const isForeseen = ({ nowMs, seen }: History, backup: number): boolean =>
  nowMs > seen || (backup >= nowMs && seen < backup + AHEAD);

async function restoreAny(history: History): Promise<void> {
  const backup = history.backups[history.between(0, history.backups.length - 1)] ?? 1;
  const { seen } = history;
  const foreseen = isForeseen(history, backup);
  await restore(history, backup, 0);
  const said = history.told.join('\n');
  if (foreseen) ok(history.version > seen, `nodes have seen ${seen}:\n${said}`);
  // If the version is too low, a node that has seen a higher one logs it, and a second restore with
  // that version exceeds it.
  if (history.version <= seen) await restore(history, backup, seen);
  ok(history.version > seen, `nodes have seen ${seen}:\n${history.told.join('\n')}`);
  history.seen = history.version;
}

const acts: ((history: History) => void | Promise<void>)[] = [
  change,
  change,
  (history) => void history.backups.push(history.version),
  restoreAny,
  restoreAny,
];

const clockActs: typeof acts = [
  (history) => {
    history.nowMs += history.between(1, 40 * DAY_MS);
  },
  (history) => {
    history.nowMs -= history.between(1, 40 * DAY_MS);
  },
];

async function live(chance: Chance, possible: typeof acts): Promise<History> {
  const between = (least: number, most: number) => least + upTo(chance, most - least);
  return store.session(async (session) => {
    await session.query('set search_path = keyrail; set session_replication_role = replica');
    await session.query(`delete from project_versions; insert into project_versions
      values (gen_random_uuid(), gen_random_uuid(), 1, 1)`);
    const nowMs = Date.UTC(2030, 0, 1);
    const history = { session, between, nowMs, version: 1, seen: 1, backups: [1], told: [] };
    for (let step = 0; step < STEPS; step += 1) {
      await oneOf(chance, possible)(history);
    }
    await session.query(`reset session_replication_role; reset search_path;
      select set_config('kr.clock_shift_ms', '', false)`);
    return history;
  });
}

test('after any sequence of backups and restores, the policy version exceeds every version a node has seen', async () => {
  for (let seed = 0; seed < HISTORIES; seed += 1) {
    const { told } = await live(chanceOf(seed), acts);
    ok(!told.some((line) => /ahead of [1-9]/.test(line)), `without a hint:\n${told.join('\n')}`);
  }
});

test('given the highest version any node has logged, a restore continues above every version seen, even if the clock has changed', async () => {
  const all: string[] = [];
  for (let seed = 0; seed < HISTORIES; seed += 1) {
    all.push(...(await live(chanceOf(seed), [...acts, ...clockActs])).told);
  }
  ok(
    all.some((line) => /ahead of [1-9]/.test(line)),
    'some clock was set back far enough',
  );
});
