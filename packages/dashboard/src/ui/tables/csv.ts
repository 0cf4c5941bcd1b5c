// Rows as CSV. Names come from customers, and spreadsheets in some countries use separators other
// than commas, so no part of a name may look like a cell with a formula.

type Cell = string | number | null;

/** Characters that a spreadsheet or an import may treat as separators, even inside quotes. */
const SEPARATORS = /([;|\t\r\n])/;
/** Spreadsheets run text that starts with one of these. Some also accept full-width characters. */
const FORMULA = /^[\s"]*[=+\-@\uff1d\uff0b\uff0d\uff20]/;

function cellText(cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return String(cell);
  const parts = cell.split(SEPARATORS).map((part) => (FORMULA.test(part) ? `'${part}` : part));
  return `"${parts.join('').replaceAll('"', '""')}"`;
}

export const csvOf = (head: readonly string[], rows: readonly (readonly Cell[])[]): string =>
  [head, ...rows].map((row) => `${row.map(cellText).join(',')}\r\n`).join('');
