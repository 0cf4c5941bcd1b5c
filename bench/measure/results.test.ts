import { deepEqual, throws } from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createFinding, showRate } from './finding.ts';
import { atLeast } from './goal.ts';
import { createPlan } from './plan.ts';
import { createResults, readResults, writeResults } from './results.ts';
import { lineOf, tableOfFindings } from './table.ts';

const conditions = { node: 'v24.0.0', cores: 2, load: 0.5, startedAt: '2026-01-01T00:00:00.000Z' };

const found = createFinding({
  name: 'reads: rate',
  values: [10, 11, 12, 13, 14],
  show: showRate,
  goal: atLeast(20),
  endedRounds: 2,
});

test('results can be read back from their file', (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'kr-bench-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const file = join(directory, 'run.json');
  const results = createResults(conditions, createPlan(false, 500));
  results.findings.push(found);
  writeResults(file, results);
  deepEqual(readResults(file), results);
  deepEqual(readdirSync(directory), ['run.json']);
});

test('a file without results is rejected', (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'kr-bench-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const file = join(directory, 'other.json');
  writeFileSync(file, '{"findings":[]}');
  throws(() => readResults(file), /contains no results from this benchmark/);
});

test('a finding is printed immediately as a line, and again at the end as a table row', () => {
  const expected = 'ours 12/s ±17 %; goal >= 20/s; MISSED, 2 rounds ended early';
  deepEqual(lineOf(found), `reads: rate: ${expected}`);
  const [, , row = ''] = tableOfFindings([found]).split('\n');
  deepEqual(row.split(/ {2,}/), [
    'reads: rate',
    '12/s ±17 %',
    '-',
    '-',
    '>= 20/s',
    'MISSED, 2 rounds ended early',
  ]);
});
