import { deepEqual, equal, match } from 'node:assert/strict';
import { test } from 'node:test';
import { compareRuns, verdictOn } from './compare-runs.ts';
import { createFinding, type Figure, type Finding } from './finding.ts';
import { higherIsBetter } from './goal.ts';
import { createPlan } from './plan.ts';
import { createResults, type Results } from './results.ts';

const figure = (low: number, high: number, better: Figure['better'] = 'higher'): Figure => ({
  better,
  median: (low + high) / 2,
  interval: { low, high },
});

test('results whose intervals overlap are reported as within noise', () => {
  equal(verdictOn(figure(1, 3), figure(2, 4)), 'within noise');
  equal(verdictOn(figure(1, 3), figure(3, 4)), 'within noise');
  equal(verdictOn(figure(2, 3), figure(1, 9)), 'within noise');
});

test('a result counts as better or worse only if the two intervals do not overlap', () => {
  equal(verdictOn(figure(1, 2), figure(3, 4)), 'better');
  equal(verdictOn(figure(3, 4), figure(1, 2)), 'worse');
  equal(verdictOn(figure(1, 2, 'lower'), figure(3, 4, 'lower')), 'worse');
  equal(verdictOn(figure(3, 4, 'lower'), figure(1, 2, 'lower')), 'better');
});

test('a result without an interval gets no verdict', () => {
  const once: Figure = { better: 'lower', median: 5, interval: null };
  equal(verdictOn(once, figure(1, 2)), 'no spread');
  equal(verdictOn(figure(1, 2), once), 'no spread');
});

const finding = (name: string, values: number[]): Finding =>
  createFinding({ name, values, show: String, goal: higherIsBetter });

function resultsWith(...findings: Finding[]): Results {
  const conditions = { node: 'v24.0.0', cores: 2, load: 0, startedAt: '2026-01-01T00:00:00.000Z' };
  const results = createResults(conditions, createPlan(false, null));
  results.findings.push(...findings);
  return results;
}

test('rows from two runs are matched by name', () => {
  const before = resultsWith(finding('a', [1, 1, 1, 1, 1]), finding('b', [5]));
  const after = resultsWith(finding('c', [7]), finding('a', [2, 2, 2, 2, 2]));
  const rows = compareRuns(before, after)
    .split('\n')
    .slice(2)
    .map((row) => row.split(/ {2,}/));
  deepEqual(rows, [
    ['a', '1.00 (1.00 to 1.00)', '2.00 (2.00 to 2.00)', '+100.0 %', 'better'],
    ['b', '5.00', '-', '-', 'only before'],
    ['c', '-', '7.00', '-', 'only after'],
  ]);
});

test('differences in the conditions of the two runs are listed first', () => {
  const before = resultsWith(finding('a', [1]));
  const after = resultsWith(finding('a', [1]));
  after.conditions.cores = 8;
  after.plan = createPlan(true, null);
  after.failures.push({ benchmark: 'sdk', reason: 'refused' });
  const lines = compareRuns(before, after).split('\n');
  match(lines[0] ?? '', /brief/);
  match(lines[1] ?? '', /cores: 2, 8/);
  match(lines[2] ?? '', /sdk failed after: refused/);
});
