/** Checks that read the sources without running them. Each counts as one test. */
import { performance } from 'node:perf_hooks';
import { runProgram } from './children.ts';
import { printFailure, type Row } from './report.ts';

const CHECK_MS_MAX = 300_000;

/**
 * Each TypeScript checker checks shared types again, so having more checkers than cores only wastes
 * time.
 */
const CHECKERS = ['--checkers', '2'];

/** TypeScript is a Go program, and takes a quarter less time if it collects garbage less often. */
const GO_GARBAGE = { GOGC: '400' };

const checks = [
  { name: 'format and lint', command: 'biome', args: ['check', '--error-on-warnings', '.'] },
  { name: 'types', command: 'tsc', args: ['-p', 'tsconfig.json', '--noEmit', ...CHECKERS] },
  // These packages run in browsers, where different globals exist.
  {
    name: 'types of the dashboard',
    command: 'tsc',
    args: ['-p', 'packages/dashboard/tsconfig.json', ...CHECKERS],
  },
  {
    name: 'types of the widget',
    command: 'tsc',
    args: ['-p', 'packages/widget/tsconfig.json', ...CHECKERS],
  },
];

export async function runStaticChecks(root: string, env: NodeJS.ProcessEnv): Promise<Row> {
  const row: Row = {
    lane: 'static',
    store: '-',
    passed: 0,
    failures: [],
    skips: [],
    ms: 0,
    cpuMs: null,
  };
  const began = performance.now();
  for (const { name, command, args } of checks) {
    const run = { cwd: root, env: { ...env, ...GO_GARBAGE }, timeoutMs: CHECK_MS_MAX };
    const ended = await runProgram(`node_modules/.bin/${command}`, args, run);
    if (ended.code === 0) {
      row.passed += 1;
      console.log(`  ok   ${name}`);
      continue;
    }
    const why = ended.timedOut ? 'It took too long.' : ended.output.trim();
    const failure = { name, file: `${command} ${args.join(' ')}`, error: why };
    row.failures.push(failure);
    printFailure(failure, 'the sources');
  }
  row.ms = performance.now() - began;
  return row;
}
