// Compares two runs row by row. Only results whose confidence intervals don't overlap count as
// different.
import type { Figure, Finding } from './finding.ts';
import type { Results } from './results.ts';
import { tableOf } from './table.ts';

/** `no spread`: one of the runs measured too few values to tell a change from noise. */
export type Verdict = 'within noise' | 'better' | 'worse' | 'no spread';

export function verdictOn(before: Figure, after: Figure): Verdict {
  if (before.interval === null || after.interval === null) return 'no spread';
  const rose = after.interval.low > before.interval.high;
  const fell = after.interval.high < before.interval.low;
  if (!rose && !fell) return 'within noise';
  return rose === (after.better === 'higher') ? 'better' : 'worse';
}

export function compareRuns(before: Results, after: Results): string {
  const names = new Set([...before.findings, ...after.findings].map(({ name }) => name));
  const named = ({ findings }: Results, name: string): Finding | undefined =>
    findings.find((finding) => finding.name === name);
  const rows = [...names].map((name) => row(name, named(before, name), named(after, name)));
  const table = tableOf(['name', 'before', 'after', 'change', 'verdict'], rows);
  return [...warnings(before, after), table].join('\n');
}

function row(name: string, before: Finding | undefined, after: Finding | undefined): string[] {
  if (!before) return [name, '-', after ? shown(after.figure) : '-', '-', 'only after'];
  if (!after) return [name, shown(before.figure), '-', '-', 'only before'];
  const change = after.figure.median / before.figure.median - 1;
  const percent = `${change < 0 ? '' : '+'}${(change * 100).toFixed(1)} %`;
  const verdict = verdictOn(before.figure, after.figure);
  return [name, shown(before.figure), shown(after.figure), percent, verdict];
}

/** Formats a median with its confidence interval, as in `0.82 (0.80 to 0.84)`. */
function shown({ median, interval }: Figure): string {
  const number = (value: number) => (value < 100 ? value.toPrecision(3) : value.toFixed(0));
  if (interval === null) return number(median);
  return `${number(median)} (${number(interval.low)} to ${number(interval.high)})`;
}

function warnings(before: Results, after: Results): string[] {
  const found: string[] = [];
  if (before.plan.isBrief || after.plan.isBrief)
    found.push('A brief run: its numbers mean nothing.');
  for (const part of ['node', 'cores'] as const) {
    const values = [before.conditions[part], after.conditions[part]];
    if (values[0] !== values[1]) found.push(`The runs differ in ${part}: ${values.join(', ')}.`);
  }
  for (const [when, { failures }] of [
    ['before', before],
    ['after', after],
  ] as const) {
    for (const { benchmark, reason } of failures) {
      found.push(`The benchmark ${benchmark} failed ${when}: ${reason}`);
    }
  }
  return found;
}
