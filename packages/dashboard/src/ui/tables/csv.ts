// Formats rows as CSV. Names are chosen by customers, and spreadsheets in some countries don't use
// commas as separators, so no part of a name may look like a cell with a formula.

type Cell = string | number | null;

/** Characters that a spreadsheet or an importer may treat as separators, even inside quotes. */
const SEPARATORS = /([;|\t\r\n])/;
/**
 * Text that starts with one of these characters is treated as a formula. Some spreadsheets also
 * accept their full-width forms.
 */
const FORMULA = /^[\s"]*[=+\-@\uff1d\uff0b\uff0d\uff20]/;

function cellText(cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return String(cell);
  const parts = cell.split(SEPARATORS).map((part) => (FORMULA.test(part) ? `'${part}` : part));
  return `"${parts.join('').replaceAll('"', '""')}"`;
}

export const csvOf = (head: readonly string[], rows: readonly (readonly Cell[])[]): string =>
  [head, ...rows].map((row) => `${row.map(cellText).join(',')}\r\n`).join('');
