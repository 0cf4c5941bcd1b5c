// Runs a planted bug's test in a copy of the tree, first without the patch and then with it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Planted } from './bugs.ts';
import type { CopiedTree } from './copied-tree.ts';

const TEST_MS_MAX = 120_000;
const PATCHES = join(import.meta.dirname, 'patches');

export type Caught = {
  planted: Planted;
  /** Why the bug was not caught; null if the test passes without the patch and fails with it. */
  why: string | null;
  ms: number;
};

export type Place = {
  tree: CopiedTree;
  /** The superuser's connection string, for tests on PostgreSQL; null if there is no PostgreSQL. */
  postgresUrl: string | null;
};

export async function runPlanted(planted: Planted, place: Place): Promise<Caught> {
  const began = performance.now();
  const patch = join(PATCHES, `${planted.patch}.patch`);
  const before = await runTest(planted, place);
  let why = before === 'passed' ? null : `without the patch, the test ${before}`;
  if (why === null) {
    place.tree.apply(patch);
    const after = await runTest(planted, place);
    place.tree.revert(patch);
    if (after !== 'failed') why = `with the patch, the test ${after}`;
  }
  return { planted, why, ms: performance.now() - began };
}

type Result = 'passed' | 'failed' | 'was not found';

async function runTest({ file, title, store }: Planted, place: Place): Promise<Result> {
  const pattern = `^${title.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`;
  const words = [
    '--liftoff-only',
    '--test-reporter=tap',
    `--test-name-pattern=${pattern}`,
    `--test-timeout=${TEST_MS_MAX}`,
    file,
  ];
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, words, {
    cwd: place.tree.path,
    stdio: ['ignore', 'pipe', 'ignore'],
    env: {
      PATH,
      HOME,
      KEYRAIL_TEST_STORE: store,
      KEYRAIL_TEST_INSTALL: 'tried',
      ...(place.postgresUrl && { KEYRAIL_TEST_POSTGRES: place.postgresUrl }),
    },
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), TEST_MS_MAX + 10_000);
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  await once(child, 'close');
  clearTimeout(timer);
  return resultIn(output, title);
}

/** Finds the test's result line. A skipped test counts as not found. */
export function resultIn(output: string, title: string): Result {
  const lines = output.split('\n').map((line) => line.trim());
  const line = lines.find((each) => /^(not )?ok \d+ - /.test(each) && each.includes(title));
  if (!line || /# SKIP/.test(line)) return 'was not found';
  return line.startsWith('not ok') ? 'failed' : 'passed';
}
