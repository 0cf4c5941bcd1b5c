// Prints the findings as a plain table. A missed target is marked but does not fail the run.

/** Unclear: the rounds lie on both sides of the target. */
export type Verdict = boolean | 'unclear';

export type Finding = {
  name: string;
  ours: string;
  peer: string;
  ratio: string;
  target: string;
  /** Null if there is no target: the number is context. */
  met: Verdict | null;
};

const columns = ['name', 'ours', 'peer', 'ratio', 'target', 'met'] as const;

export function tableOf(findings: readonly Finding[]): string {
  const rows = findings.map((finding) => ({ ...finding, met: verdict(finding.met) }));
  const widths = columns.map((column) =>
    Math.max(column.length, ...rows.map((row) => row[column].length)),
  );
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd();
  return [
    line(columns),
    line(widths.map((width) => '-'.repeat(width))),
    ...rows.map((row) => line(columns.map((column) => row[column]))),
  ].join('\n');
}

function verdict(met: Verdict | null): string {
  if (met === null) return '-';
  if (met === 'unclear') return met;
  return met ? 'met' : 'MISSED';
}
