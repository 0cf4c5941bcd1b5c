// Rows as CSV. Texts come from customers, and in some countries spreadsheets don't separate cells
// with commas, so no part of a text may look like a cell with a formula.

type Cell = string | number | null;

/**
 * Characters that a spreadsheet or an import may take for separators, even inside quotes it
 * misreads.
 */
const SEPARATORS = /([;|\t\r\n])/;
/** A spreadsheet would run text that begins like this; some also accept full-width characters. */
const FORMULA = /^[\s"]*[=+\-@\uff1d\uff0b\uff0d\uff20]/;

function cellText(cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return String(cell);
  const parts = cell.split(SEPARATORS).map((part) => (FORMULA.test(part) ? `'${part}` : part));
  return `"${parts.join('').replaceAll('"', '""')}"`;
}

export const csvOf = (head: readonly string[], rows: readonly (readonly Cell[])[]): string =>
  [head, ...rows].map((row) => `${row.map(cellText).join(',')}\r\n`).join('');
