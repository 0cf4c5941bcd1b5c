// What was found, as a plain table. A missed target is said plainly and fails nothing.

export type Finding = {
  name: string;
  ours: string;
  peer: string;
  ratio: string;
  target: string;
  /** Null where nothing was promised: the number stands for context. */
  met: boolean | null;
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

function verdict(met: boolean | null): string {
  if (met === null) return '-';
  return met ? 'met' : 'MISSED';
}
