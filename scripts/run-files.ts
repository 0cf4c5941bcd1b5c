/** Runs test files in a separate process and reports each file's outcome, even after a crash. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { type Ended, runProgram } from './children.ts';
import { TEST_MS_MAX } from './matrix.ts';
import type { Happening } from './test-events.ts';

export type Failure = { name: string; error: string };
export type Skip = { name: string; reason: string };
export type Outcome = {
  file: string;
  passed: number;
  failures: Failure[];
  skips: Skip[];
  /** The process's output, printed if it failed. */
  output: string;
  ms: number;
  cpuMs: number;
};

export type FilesRun = {
  root: string;
  files: readonly string[];
  env: NodeJS.ProcessEnv;
  timeoutMs: number;
  /** The directory for this run's event files. */
  scratch: string;
};

const REPORTER = new URL('./test-events.ts', import.meta.url).href;
const PRELOAD = new URL('./test-preload.ts', import.meta.url).href;
let runs = 0;

export async function runFiles(run: FilesRun): Promise<Outcome[]> {
  runs += 1;
  const events = join(run.scratch, `${runs}.jsonl`);
  const beganAtMs = performance.timeOrigin + performance.now();
  const ended = await runProgram(
    process.execPath,
    [
      ...FLAGS,
      `--import=${PRELOAD}`,
      `--test-reporter=${REPORTER}`,
      '--test-reporter-destination=stdout',
      `--test-timeout=${TEST_MS_MAX}`,
      entryOf(run),
    ],
    {
      cwd: run.root,
      env: {
        ...run.env,
        KEYRAIL_TEST_EVENTS: events,
        // The files load mostly the same sources, so the first process compiles these for all
        // others.
        NODE_COMPILE_CACHE: join(run.scratch, 'compiled'),
      },
      timeoutMs: run.timeoutMs,
    },
  );
  const happenings = readHappenings(events);
  rmSync(events, { force: true });
  return outcomesOf(run, happenings, { ...ended, beganAtMs });
}

/**
 * Returns the module to run: the test file or, for several files, a module that imports them all.
 * `node --test` could run several files too, but it installs its async hook before a preload script
 * can run.
 */
function entryOf({ root, files, scratch }: FilesRun): string {
  const [only = ''] = files;
  if (files.length === 1) return only;
  const entry = join(scratch, `${runs}.mjs`);
  const imports = files.map((file) => `import ${JSON.stringify(join(root, file))};\n`);
  writeFileSync(entry, imports.join(''));
  return entry;
}

/**
 * Flags for the embedded store, which is WebAssembly. Optimising it takes a third of the time and
 * doesn't pay off within one test file. Tests on PostgreSQL or on both stores may also open an
 * embedded store.
 */
const FLAGS = ['--liftoff-only', '--wasm-lazy-validation'];

function readHappenings(path: string): Happening[] {
  try {
    const lines = readFileSync(path, 'utf8').split('\n');
    return lines.filter((line) => line !== '').map((line) => JSON.parse(line));
  } catch {
    return [];
  }
}

type OfFile = { each: Happening[]; ms: number; cpuMs: number };

/**
 * Assigns events to files. A test defined outside these files counts towards the file that ran
 * before it. The time between two events counts towards the later event's file. (Files may run out
 * of order, because one that awaits an import runs after others.)
 */
function byFile({ root, files }: FilesRun, happenings: Happening[], beganAtMs: number) {
  const found = new Map(
    files.map((file): [string, OfFile] => [file, { each: [], ms: 0, cpuMs: 0 }]),
  );
  let current = files[0] ?? '';
  let before = { atMs: beganAtMs, cpuMs: 0 };
  for (const happening of happenings) {
    const named = files.find((file) => join(root, file) === happening.file);
    current = named ?? current;
    const ofFile = found.get(current);
    if (!ofFile) continue;
    ofFile.each.push(happening);
    ofFile.ms += happening.atMs - before.atMs;
    ofFile.cpuMs += happening.cpuMs - before.cpuMs;
    before = happening;
  }
  return found;
}

function outcomesOf(
  run: FilesRun,
  happenings: Happening[],
  { beganAtMs, ...ended }: Ended & { beganAtMs: number },
): Outcome[] {
  const fault = faultOfProgram(happenings, ended, run.timeoutMs);
  const all = [...byFile(run, happenings, beganAtMs)];
  // A crash is attributed to the last file that was running.
  const last = all.findLast(([, { each }]) => each.length > 0)?.[0] ?? run.files[0];
  return all.map(([file, { each, ms, cpuMs }]) => {
    const failures: Failure[] = each.filter((one) => one.kind === 'failed');
    const ownFault = each.length === 0 ? NOTHING_REPORTED : null;
    const error = file === last ? (fault ?? ownFault) : ownFault;
    if (error && (failures.length === 0 || !isWhole(happenings))) {
      failures.push({ name: '(the file itself)', error });
    }
    const passed = each.filter((one) => one.kind === 'passed').length;
    const skips = each.filter((one) => one.kind === 'skipped');
    return { file, passed, failures, skips, output: ended.output.trim(), ms, cpuMs };
  });
}

const NOTHING_REPORTED =
  'No test was reported: the file declares none, or its process ended early.';

const isWhole = (happenings: Happening[]) => happenings.some((one) => one.kind === 'ended');

/** A failure of the process as a whole, as opposed to the tests it reported. */
function faultOfProgram(happenings: Happening[], ended: Ended, timeoutMs: number): string | null {
  const last = happenings.filter((one) => one.kind === 'began').at(-1)?.name;
  const during = last === undefined ? 'before its first test' : `after it began "${last}"`;
  const seconds = Math.round(timeoutMs / 1000);
  if (ended.timedOut && last !== undefined && happenings.at(-1)?.kind !== 'began') {
    return `Its tests ended, but the process was still running after ${seconds} s: close what it left open.`;
  }
  if (ended.timedOut) return `Timed out after ${seconds} s, ${during}.`;
  if (ended.signal) return `Killed by ${ended.signal}, ${during}.`;
  if (!isWhole(happenings)) return `Exited with ${ended.code}, ${during}.`;
  const isExpected = ended.code === 0 || happenings.some((one) => one.kind === 'failed');
  return isExpected ? null : `Exited with ${ended.code} after its tests.`;
}
