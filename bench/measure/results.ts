// Keeps a run's findings in a file, which is rewritten after each finding, so that nothing is lost
// if the run is stopped.
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { Finding } from './finding.ts';
import type { Plan } from './plan.ts';

const FORMAT = 'keyrail-bench-1';

export type Conditions = { node: string; cores: number; load: number; startedAt: string };

export type Failure = { benchmark: string; reason: string };

export type Results = {
  format: typeof FORMAT;
  conditions: Conditions;
  plan: Plan;
  findings: Finding[];
  failures: Failure[];
};

export const createResults = (conditions: Conditions, plan: Plan): Results => ({
  format: FORMAT,
  conditions,
  plan,
  findings: [],
  failures: [],
});

export function writeResults(file: string, results: Results): void {
  const unfinished = `${file}.tmp`;
  writeFileSync(unfinished, `${JSON.stringify(results, null, 2)}\n`);
  renameSync(unfinished, file);
}

/** Reads a file written by `writeResults`. Its format is checked, but its values are trusted. */
export function readResults(file: string): Results {
  const parsed = JSON.parse(readFileSync(file, 'utf8'));
  if (parsed?.format !== FORMAT) throw new Error(`${file} contains no results from this benchmark`);
  return parsed;
}
