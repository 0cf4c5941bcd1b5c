/**
 * Runs the files of all lanes, a few processes at a time, within the time limit of the whole run.
 */
import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Backend,
  FILE_MS_MAX,
  type Lane,
  RUN_MS_MAX,
  SHARED_FILE_MS,
  type Store,
} from './matrix.ts';
import { printOutcome, type Row } from './report.ts';
import { type Outcome, runFiles } from './run-files.ts';

export type Backends = Record<Backend, { url: string | null; reason: string }>;

export type LaneRun = { lane: Lane; files: string[] };

export type Setting = {
  root: string;
  env: NodeJS.ProcessEnv;
  scratch: string;
  backends: Backends;
  /** The store selected on the command line, for lanes whose tests choose their own store. */
  only: Store | null;
};

type Program = { row: Row; env: NodeJS.ProcessEnv; files: string[] };

/**
 * Runs two processes from the front of the queue and one from its back in parallel, and up to two
 * more from the back while the CPUs are partly idle. Lanes at the front compute, and those at the
 * back mostly wait; together they keep two cores busy.
 */
export async function runLanes(runs: LaneRun[], setting: Setting): Promise<Row[]> {
  const deadline = performance.now() + RUN_MS_MAX;
  const rows: Row[] = [];
  const queue = runs.flatMap((run) => programsOf(run, rowOf(run.lane, rows), setting));
  const work = async (next: () => Promise<Program | undefined> | Program | undefined) => {
    for (let program = await next(); program !== undefined; program = await next()) {
      await runOne(program, setting, deadline);
    }
  };
  const front = () => halved(queue.shift());
  const back = () => halved(queue.pop());
  /** When little is left, half of a group goes back, so that all workers finish about together. */
  const halved = (program: Program | undefined) => {
    if (program === undefined || queue.length >= WORKERS || program.files.length === 1) {
      return program;
    }
    const middle = Math.ceil(program.files.length / 2);
    queue.push({ ...program, files: program.files.slice(middle) });
    return { ...program, files: program.files.slice(0, middle) };
  };
  const spare = async () => {
    for (;;) {
      if (queue.length === 0 || (await idleShare()) > IDLE_SHARE_MIN) return back();
    }
  };
  await Promise.all([work(front), work(front), work(back), work(spare), work(spare)]);
  return rows;
}

const WORKERS = 5;
const IDLE_SHARE_MIN = 0.2;
const IDLE_MS = 1000;

/** Measures the fraction of CPU time that is idle during the next second. */
async function idleShare(): Promise<number> {
  const times = () => {
    const all = cpus().map((one) => one.times);
    const idle = all.reduce((sum, one) => sum + one.idle, 0);
    const total = all.reduce(
      (sum, one) => sum + one.idle + one.user + one.sys + one.nice + one.irq,
      0,
    );
    return { idle, total };
  };
  const before = times();
  await sleep(IDLE_MS);
  const after = times();
  return (after.idle - before.idle) / Math.max(1, after.total - before.total);
}

async function runOne({ row, env, files }: Program, setting: Setting, deadline: number) {
  const limitMs = Math.max(FILE_MS_MAX, files.length * SHARED_FILE_MS);
  const timeoutMs = Math.min(limitMs, deadline - performance.now());
  const ended =
    timeoutMs > 0 ? await runFiles({ ...setting, files, env, timeoutMs }) : files.map(late);
  for (const { file, passed, failures, skips, ms, cpuMs } of ended) {
    row.passed += passed;
    row.failures.push(...failures.map((one) => ({ ...one, file })));
    row.skips.push(...skips.map((one) => ({ ...one, file })));
    row.ms += ms;
    row.cpuMs = (row.cpuMs ?? 0) + cpuMs;
  }
  for (const outcome of ended) printOutcome(outcome, row.store);
}

/** Lanes with the same name and store share a row in the report. */
function rowOf({ name, store }: Lane, rows: Row[]): Row {
  const known = rows.find((row) => row.lane === name && row.store === store);
  if (known) return known;
  const row = { lane: name, store, passed: 0, failures: [], skips: [], ms: 0, cpuMs: 0 };
  rows.push(row);
  return row;
}

/**
 * Groups of files that share a process. Starting a process, and especially its store, costs as much
 * as a file's tests. Each test creates its own workspace, so files can share a store. A file with
 * hooks runs alone, because its hooks would apply to the others. The same goes for files that
 * inspect query plans, because these depend on everything the tables have ever contained, and for
 * files that report a full disk, because the store remembers that for a while.
 */
function programFiles({ lane, files }: LaneRun, root: string): string[][] {
  const programs: string[][] = [];
  let open: string[] = [];
  for (const file of files) {
    const isShared = lane.sharing.files.test(file) && !ALONE.test(file);
    if (!isShared || HOOK.test(readFileSync(join(root, file), 'utf8'))) programs.push([file]);
    else {
      if (open.length === 0) programs.push(open);
      open.push(file);
      if (open.length === lane.sharing.most) open = [];
    }
  }
  return programs;
}

const HOOK = /^(?:before|after|beforeEach|afterEach)\(/m;
const ALONE = /(-plans|database-size)\.test\.ts$/;

/** If a backend is missing, each of the lane's files counts as one skipped test. */
function programsOf(run: LaneRun, row: Row, setting: Setting): Program[] {
  const { backends, root } = setting;
  const missing = run.lane.needs.find((backend) => backends[backend].url === null);
  if (missing === undefined) {
    const env = { ...setting.env, ...storeEnvironment(run.lane, setting) };
    // Files run in reverse order, because the long ones are in tests/ and the last files should be
    // short.
    const programs = programFiles(run, root).reverse();
    return programs.map((files) => ({ row, env, files }));
  }
  const { reason } = backends[missing];
  console.log(`  SKIPPED ${run.files.length} files on ${row.store} (${row.lane}): ${reason}`);
  row.skips.push(...run.files.map((file) => ({ file, name: '(the whole file)', reason })));
  return [];
}

function storeEnvironment(lane: Lane, { backends, only }: Setting): NodeJS.ProcessEnv {
  const store = lane.store === 'both' ? only : lane.store;
  const lent = [...lane.needs, ...lane.offers].includes('postgres') && backends.postgres.url;
  return {
    ...(store ? { KEYRAIL_TEST_STORE: store } : {}),
    ...(lent ? { KEYRAIL_TEST_POSTGRES: lent } : {}),
  };
}

const late = (file: string): Outcome => ({
  file,
  passed: 0,
  failures: [
    {
      name: '(the file itself)',
      error: 'Not run: the run reached its time limit first.',
    },
  ],
  skips: [],
  output: '',
  ms: 0,
  cpuMs: 0,
});
