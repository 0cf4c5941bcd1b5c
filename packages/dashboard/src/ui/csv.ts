// Rows as CSV.

type Cell = string | number | null;

const MEANS_MORE = /[",\r\n]/;
/** A spreadsheet would run a text that begins like this as a formula. */
const FORMULA = /^[=+\-@\t\r]/;

function cellText(cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return String(cell);
  const safe = FORMULA.test(cell) ? `'${cell}` : cell;
  return MEANS_MORE.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export const csvOf = (head: readonly string[], rows: readonly (readonly Cell[])[]): string =>
  [head, ...rows].map((row) => `${row.map(cellText).join(',')}\r\n`).join('');
