import { equal, match } from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createFinding, showRate } from './measure/finding.ts';
import { higherIsBetter } from './measure/goal.ts';
import { createPlan } from './measure/plan.ts';
import { createResults, writeResults } from './measure/results.ts';

function run(...args: string[]) {
  const main = join(import.meta.dirname, 'main.ts');
  return spawnSync(process.execPath, [main, ...args], { encoding: 'utf8' });
}

test('an unknown benchmark is rejected with a list of all benchmarks', () => {
  const { status, stderr } = run('reads', 'wrong');
  equal(status, 2);
  match(stderr, /unknown benchmark wrong; known: changes, reads, /);
});

test('two saved runs are compared row by row', (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'kr-bench-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const keep = (file: string, values: number[]): string => {
    const startedAt = '2026-01-01T00:00:00.000Z';
    const conditions = { node: 'v24.0.0', cores: 2, load: 0, startedAt };
    const results = createResults(conditions, createPlan(false, null));
    const finding = { name: 'reads: rate', values, show: showRate, goal: higherIsBetter };
    results.findings.push(createFinding(finding));
    writeResults(join(directory, file), results);
    return join(directory, file);
  };
  const before = keep('before.json', [200, 201, 202, 203, 204]);
  const after = keep('after.json', [100, 101, 102, 103, 104]);
  const { status, stdout } = run('compare', before, after);
  equal(status, 0);
  match(stdout, /reads: rate {2}202 \(200 to 204\) {2}102 \(100 to 104\) {2}-49\.5 % {2}worse/);
});
