// Formats findings as plain tables and lines. A missed goal is marked but does not fail the run.
import type { Finding } from './finding.ts';

export function tableOf(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = header.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  return [line(header), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join(
    '\n',
  );
}

export const tableOfFindings = (findings: readonly Finding[]): string =>
  tableOf(
    ['name', 'ours', 'peer', 'ratio', 'goal', 'result'],
    findings.map((finding) => [
      finding.name,
      finding.ours,
      finding.peer,
      finding.ratio,
      finding.goal,
      resultOf(finding),
    ]),
  );

/** One line, printed as soon as the finding is known. */
export function lineOf(finding: Finding): string {
  const parts = [`ours ${finding.ours}`];
  if (finding.peer !== '-') parts.push(`peer ${finding.peer}`);
  if (finding.ratio !== '-') parts.push(`ratio ${finding.ratio}`);
  parts.push(`goal ${finding.goal}`, resultOf(finding));
  return `${finding.name}: ${parts.join('; ')}`;
}

function resultOf({ attained, endedRounds }: Finding): string {
  const result = attained === 'missed' ? 'MISSED' : (attained ?? '-');
  return endedRounds === 0 ? result : `${result}, ${endedRounds} rounds ended early`;
}
