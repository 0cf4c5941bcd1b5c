// Measures how long it takes to back up and restore a PostgreSQL database with many keys, compared
// with pg_dump and pg_restore. Also compares the memory needed to back up this database with the
// memory needed for a smaller one.
import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { findPostgres } from '@keyrail/testing/stores/postgres-binaries.ts';
import pg from 'pg';
import { withCleanup } from './measure/cleanup.ts';
import { createFinding, showMedian, showRatio } from './measure/finding.ts';
import { atMost, lowerIsBetter } from './measure/goal.ts';
import type { Run } from './measure/plan.ts';
import { ratios } from './measure/statistics.ts';
import { type Ran, runCommand } from './setup/commands.ts';
import { openPostgres, scratchDirectory, startOnPostgres } from './setup/keyrail.ts';
import { createProject, insertKeys } from './setup/projects.ts';
import { createWorkspace } from './setup/workspaces.ts';

/** The memory comparison needs a backup of a smaller database, with this fraction of the keys. */
const FEW_SHARE = 0.1;
const ROUNDS = 5;
const BRIEF_ROUNDS = 1;
/**
 * A backup may take up to this many times as long as pg_dump. It also hashes each row, and writes
 * rows in a text format that is the same for PostgreSQL and the embedded store.
 */
const RATIO_MAX = 3;
const GROWTH_MAX = 1.3;
const RESTORE_KEYS = 100_000;
const RESTORE_SECONDS_MAX = 60;

const SERVER = join(import.meta.dirname, '../packages/server/bin/keyrail-server.js');

const showTime = (seconds: number): string => `${seconds.toFixed(1)} s`;

export async function measureBackup({ plan, report }: Run): Promise<void> {
  const found = findPostgres();
  if ('missing' in found) throw new Error(found.missing);
  const directory = scratchDirectory();
  await withCleanup(async (stopAtEnd) => {
    const store = stopAtEnd(await openPostgres());
    const settings = {
      DATABASE_URL: store.url,
      KEYRAIL_MASTER_KEY: randomBytes(32).toString('base64'),
      KEYRAIL_DATA_DIR: directory.path,
    };
    const { DATABASE_URL: _, ...ofServer } = settings;
    const server = await startOnPostgres(store.url, ofServer);
    const { call } = await createWorkspace(server, 'bench');
    const first = await createProject(call);
    const second = await createProject(call);
    await server.stop();
    const keyrail = (command: string, more: Record<string, string> = {}) =>
      print(command, runCommand([process.execPath, SERVER, command], { ...settings, ...more }));

    const few = Math.ceil(plan.keys * FEW_SHARE);
    await insertKeys(store.url, first, few);
    const small = await keyrail('backup');
    await insertKeys(store.url, second, plan.keys - few);

    const rounds = plan.isBrief ? BRIEF_ROUNDS : ROUNDS;
    const dump = join(directory.path, 'dump');
    const superuser = asSuperuser(store.url);
    const dumping = [join(found.bin, 'pg_dump'), '-Fc', '-n', 'keyrail', '-f', dump, superuser];
    const ours: Ran[] = [];
    const theirs: Ran[] = [];
    while (ours.length < rounds) {
      ours.push(await keyrail('backup'));
      theirs.push(await print('pg_dump', runCommand(dumping)));
    }
    report(timeFinding(`backup: ${plan.keys} keys`, { ours, theirs, peer: 'pg_dump' }));
    report(memoryFinding(ours, small, few));
    const back: Record<'ours' | 'theirs', Ran[]> = { ours: [], theirs: [] };
    while (back.ours.length < rounds) {
      const target = await newDatabase(store.url, `ours_${back.ours.length}`);
      back.ours.push(await keyrail('restore', { DATABASE_URL: target }));
      const other = asSuperuser(await newDatabase(store.url, `theirs_${back.theirs.length}`));
      const restoring = [join(found.bin, 'pg_restore'), '--no-owner', '-d', other, dump];
      back.theirs.push(await print('pg_restore', runCommand(restoring)));
    }
    report(timeFinding(`backup: restore of ${plan.keys} keys`, { ...back, peer: 'pg_restore' }));
    report(restoreFinding(plan.keys, back.ours));
    rmSync(directory.path, { recursive: true, force: true });
  });
}

type Times = { ours: Ran[]; theirs: Ran[]; peer: string };

const secondsOf = (runs: readonly Ran[]): number[] => runs.map(({ seconds }) => seconds);

function timeFinding(name: string, { ours, theirs, peer }: Times) {
  const values = ratios(secondsOf(ours), secondsOf(theirs));
  return createFinding({
    name,
    values,
    show: showRatio,
    goal: peer === 'pg_dump' ? atMost(RATIO_MAX) : lowerIsBetter,
    ours: showMedian(secondsOf(ours), showTime),
    peer: `${peer} ${showMedian(secondsOf(theirs), showTime)}`,
    ratio: showMedian(values, showRatio),
  });
}

function memoryFinding(ours: readonly Ran[], small: Ran, few: number) {
  const values = ours.map(({ megabytes }) => megabytes / small.megabytes);
  return createFinding({
    name: 'backup: memory of its largest program',
    values,
    show: showRatio,
    goal: atMost(GROWTH_MAX),
    ours: `${Math.round(Math.max(...ours.map(({ megabytes }) => megabytes)))} MB at most`,
    peer: `${few} keys ${Math.round(small.megabytes)} MB`,
    ratio: showMedian(values, showRatio),
  });
}

const restoreFinding = (keys: number, ours: readonly Ran[]) =>
  createFinding({
    name: `backup: restore, for each ${RESTORE_KEYS} keys`,
    values: secondsOf(ours).map((seconds) => (seconds * RESTORE_KEYS) / keys),
    show: showTime,
    goal: atMost(RESTORE_SECONDS_MAX),
  });

async function print(name: string, running: Promise<Ran>): Promise<Ran> {
  const ran = await running;
  console.log(`  ${name.padEnd(24)}${showTime(ran.seconds)}, ${Math.round(ran.megabytes)} MB`);
  return ran;
}

function asSuperuser(url: string): string {
  const superuser = new URL(url);
  superuser.username = 'postgres';
  return superuser.toString();
}

async function newDatabase(url: string, name: string): Promise<string> {
  const admin = new pg.Client({ connectionString: asSuperuser(url) });
  await admin.connect();
  await admin.query(`create database ${name} owner keyrail`).finally(() => admin.end());
  const made = new URL(url);
  made.pathname = `/${name}`;
  return made.toString();
}
