/** Runs one test file in a program of its own and tells what came of it, whatever it does. */
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { type Ended, runProgram } from './children.ts';
import type { Happening } from './test-events.ts';

export type Failure = { name: string; error: string };
export type Skip = { name: string; reason: string };
export type Outcome = {
  file: string;
  passed: number;
  failures: Failure[];
  skips: Skip[];
  /** What the file printed; of interest when it failed. */
  output: string;
  ms: number;
};

export type FileRun = {
  root: string;
  file: string;
  env: NodeJS.ProcessEnv;
  timeoutMs: number;
  /** Where this run's events may be written. */
  scratch: string;
};

const REPORTER = new URL('./test-events.ts', import.meta.url).href;
// A single test gives up before its file does, so that the report can name it.
const TEST_SHARE = 0.75;
let runs = 0;

export async function runFile(run: FileRun): Promise<Outcome> {
  runs += 1;
  const events = join(run.scratch, `${runs}.jsonl`);
  const began = performance.now();
  const ended = await runProgram(
    process.execPath,
    [
      ...flagsFor(run.env),
      `--test-reporter=${REPORTER}`,
      '--test-reporter-destination=stdout',
      `--test-timeout=${Math.round(run.timeoutMs * TEST_SHARE)}`,
      run.file,
    ],
    {
      cwd: run.root,
      env: {
        ...run.env,
        KEYRAIL_TEST_EVENTS: events,
        // Every file loads much the same sources: the first one compiles them for all.
        NODE_COMPILE_CACHE: join(run.scratch, 'compiled'),
      },
      timeoutMs: run.timeoutMs,
    },
  );
  const happenings = readHappenings(events);
  rmSync(events, { force: true });
  return {
    file: run.file,
    ...count(happenings, ended, run.timeoutMs),
    output: ended.output.trim(),
    ms: performance.now() - began,
  };
}

/**
 * The embedded store is WebAssembly. A test file ends before optimising it pays, and that takes a
 * third of the time.
 */
const flagsFor = (env: NodeJS.ProcessEnv): string[] =>
  env.KEYRAIL_TEST_STORE === 'embedded' ? ['--liftoff-only'] : [];

function readHappenings(path: string): Happening[] {
  try {
    const lines = readFileSync(path, 'utf8').split('\n');
    return lines.filter((line) => line !== '').map((line) => JSON.parse(line));
  } catch {
    return [];
  }
}

function count(happenings: Happening[], ended: Ended, timeoutMs: number) {
  const failures = happenings.filter((one) => one.kind === 'failed');
  const skips = happenings.filter((one) => one.kind === 'skipped');
  const passed = happenings.filter((one) => one.kind === 'passed').length;
  const fault = faultOfFile(happenings, ended, timeoutMs);
  if (fault && (failures.length === 0 || !isWhole(happenings))) {
    failures.push({ kind: 'failed', name: '(the file itself)', error: fault });
  }
  return { passed, failures, skips };
}

const isWhole = (happenings: Happening[]) => happenings.some((one) => one.kind === 'ended');

/** What is wrong with the file as a whole, beyond the tests that it reported. */
function faultOfFile(happenings: Happening[], ended: Ended, timeoutMs: number): string | null {
  const last = happenings.filter((one) => one.kind === 'began').at(-1)?.name;
  const during = last === undefined ? 'before its first test' : `after it began "${last}"`;
  const seconds = Math.round(timeoutMs / 1000);
  if (ended.timedOut && last !== undefined && happenings.at(-1)?.kind !== 'began') {
    return `Its tests ended, but it was still running after ${seconds} s: something is left open.`;
  }
  if (ended.timedOut) return `Ended after ${seconds} s, ${during}.`;
  if (ended.signal) return `Died of ${ended.signal}, ${during}.`;
  if (!isWhole(happenings) && ended.code === 0 && last === undefined) {
    return 'No test reported anything: it declares none, or it exits by itself.';
  }
  if (!isWhole(happenings)) return `Exited with ${ended.code}, ${during}.`;
  return ended.code === 0 ? null : `Exited with ${ended.code} after its tests.`;
}
