/** The runner's output: one line per file, failures in full, and a summary at the end. */
import type { Failure, Outcome, Skip } from './run-files.ts';

export type Row = {
  lane: string;
  store: string;
  passed: number;
  failures: (Failure & { file: string })[];
  skips: (Skip & { file: string })[];
  ms: number;
  /** The CPU time; null if it is not counted. */
  cpuMs: number | null;
};

export function printOutcome(outcome: Outcome, store: string): void {
  const { file, passed, failures, skips, ms, cpuMs } = outcome;
  const verdict = failures.length > 0 ? 'FAIL' : 'ok';
  const skipped = skips.length > 0 ? `, ${skips.length} skipped` : '';
  const times = `${seconds(ms)} s, CPU ${seconds(cpuMs)} s`;
  console.log(`  ${verdict.padEnd(4)} ${file} on ${store} (${passed}${skipped}, ${times})`);
  for (const failure of failures) printFailure({ ...failure, file }, store);
  if (failures.length > 0 && outcome.output) {
    console.log(indent(`Output:\n${lastLines(outcome.output, 40)}`, 9));
  }
}

export function printFailure({ name, file, error }: Failure & { file: string }, store: string) {
  console.log(`\n  FAIL ${name}\n       in ${file} on ${store}\n${indent(error, 9)}\n`);
}

/**
 * Prints the summary: tests per lane and store, skipped tests with reasons, the number of files
 * that only the full run includes, and one machine-readable line.
 */
export function printAccount(rows: Row[], filesLeftOut: number): void {
  const failures = rows.flatMap((row) => row.failures.map((one) => ({ ...one, row })));
  const skips = rows.flatMap((row) => row.skips.map((one) => ({ ...one, row })));
  console.log('\nTests by lane and store');
  printTable([
    ['lane', 'store', 'passed', 'failed', 'skipped', 'seconds', 'CPU'],
    ...rows.map((row) => [
      row.lane,
      row.store,
      String(row.passed),
      String(row.failures.length),
      String(row.skips.length),
      seconds(row.ms),
      row.cpuMs === null ? '-' : seconds(row.cpuMs),
    ]),
  ]);
  if (filesLeftOut > 0) {
    console.log(`\nLeft to the full run (npm test -- --full): ${filesLeftOut} files`);
  }
  if (skips.length > 0) console.log(`\nSKIPPED, so not verified by this run: ${skips.length}`);
  for (const { row, file, name, reason } of skips) {
    console.log(`  ${row.lane} on ${row.store}: ${file} › ${name}: ${reason}`);
  }
  if (failures.length > 0) console.log(`\nFAILED: ${failures.length}`);
  for (const { row, file, name } of failures) {
    console.log(`  ${row.lane} on ${row.store}: ${file} › ${name}`);
  }
  const passed = rows.reduce((sum, row) => sum + row.passed, 0);
  console.log(`\n${passed} passed, ${failures.length} failed, ${skips.length} skipped`);
}

function printTable(cells: string[][]): void {
  const widths = (cells[0] ?? []).map((_, column) =>
    Math.max(...cells.map((row) => (row[column] ?? '').length)),
  );
  for (const row of cells) {
    const padded = row.map((cell, column) =>
      column < 2 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
    );
    console.log(`  ${padded.join('  ')}`);
  }
}

const seconds = (ms: number) => (ms / 1000).toFixed(1);

const indent = (text: string, width: number) => text.replace(/^/gm, ' '.repeat(width));

const lastLines = (text: string, most: number) => text.split('\n').slice(-most).join('\n');
