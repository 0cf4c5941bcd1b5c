/** Runs the files of one lane, a few programs at a time, within the lane's bound. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { type Backend, FILE_MS_MAX, type Lane, type Store } from './matrix.ts';
import { printOutcome, type Row } from './report.ts';
import { type Outcome, runFiles } from './run-files.ts';

export type Backends = Record<Backend, { url: string | null; reason: string }>;

export type LaneRun = {
  lane: Lane;
  files: string[];
  root: string;
  env: NodeJS.ProcessEnv;
  scratch: string;
  backends: Backends;
  /** The store named on the command line, for lanes that choose themselves. */
  only: Store | null;
};

export async function runLane(run: LaneRun): Promise<Row> {
  const { lane } = run;
  const began = performance.now();
  const deadline = began + lane.boundMs;
  const queue = programsOf(run);
  const outcomes: Outcome[] = [];
  const env = { ...run.env, ...storeEnvironment(run) };

  const work = async () => {
    for (let files = queue.shift(); files !== undefined; files = queue.shift()) {
      const timeoutMs = Math.min(FILE_MS_MAX, deadline - performance.now());
      const ended =
        timeoutMs > 0 ? await runFiles({ ...run, files, env, timeoutMs }) : files.map(late);
      outcomes.push(...ended);
      for (const outcome of ended) printOutcome(outcome, lane.store);
    }
  };
  console.log(`\n${lane.name} on ${lane.store}`);
  await Promise.all(Array.from({ length: lane.concurrency }, work));
  return {
    lane: lane.name,
    store: lane.store,
    passed: outcomes.reduce((sum, { passed }) => sum + passed, 0),
    failures: outcomes.flatMap(({ file, failures }) => failures.map((one) => ({ ...one, file }))),
    skips: outcomes.flatMap(({ file, skips }) => skips.map((one) => ({ ...one, file }))),
    ms: performance.now() - began,
  };
}

/**
 * What shares a program: a start costs as much as the tests of a file, most of it for the store.
 * Each test makes a workspace of its own, so that files can share one as the tests of a file do.
 * One with hooks of its own stays alone, as they would be everyone's, and so does one that looks at
 * plans, which depend on all that the tables ever held.
 */
function programsOf({ lane, files, root }: LaneRun): string[][] {
  const programs: string[][] = [];
  let open: string[] = [];
  for (const file of files) {
    const isShared = lane.together.some((prefix) => file.startsWith(prefix)) && !PLANS.test(file);
    if (!isShared || HOOK.test(readFileSync(join(root, file), 'utf8'))) programs.push([file]);
    else {
      if (open.length === 0) programs.push(open);
      open.push(file);
      if (open.length === FILES_PER_PROGRAM) open = [];
    }
  }
  return programs;
}

const HOOK = /^(?:before|after|beforeEach|afterEach)\(/m;
const PLANS = /-plans\.test\.ts$/;
const FILES_PER_PROGRAM = 6;

/** A lane whose backend is missing: every file of it counts as one skipped test. */
export function skipLane(lane: Lane, files: string[], reason: string): Row {
  console.log(`\n${lane.name} on ${lane.store}\n  SKIPPED ${files.length} files: ${reason}`);
  const skips = files.map((file) => ({ file, name: '(the whole file)', reason }));
  return { lane: lane.name, store: lane.store, passed: 0, failures: [], skips, ms: 0 };
}

function storeEnvironment({ lane, backends, only }: LaneRun): NodeJS.ProcessEnv {
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
  failures: [{ name: '(the file itself)', error: 'Not run: the lane had used up its time.' }],
  skips: [],
  output: '',
  ms: 0,
});
