/** Runs the files of one lane, a few at a time, within the lane's bound. */
import { performance } from 'node:perf_hooks';
import { type Backend, FILE_MS_MAX, type Lane, type Store } from './matrix.ts';
import { printOutcome, type Row } from './report.ts';
import { type Outcome, runFile } from './run-file.ts';

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
  const { lane, files } = run;
  const began = performance.now();
  const deadline = began + lane.boundMs;
  const queue = [...files];
  const outcomes: Outcome[] = [];
  const env = { ...run.env, ...storeEnvironment(run) };

  const work = async () => {
    for (let file = queue.shift(); file !== undefined; file = queue.shift()) {
      const timeoutMs = Math.min(FILE_MS_MAX, deadline - performance.now());
      const outcome = timeoutMs > 0 ? await runFile({ ...run, file, env, timeoutMs }) : late(file);
      outcomes.push(outcome);
      printOutcome(outcome, lane.store);
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
