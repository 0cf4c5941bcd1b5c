// Tables that fit the terminal. Less important columns are left out first, then long values are
// cut. IDs are never cut, so that they can be copied.
import { cut, type Paint, pad, type Tone, widthOf } from '../terminal/style.ts';

export type Cell = { text: string; tone?: Tone | undefined };

type Column = {
  title: string;
  /** The column's values may be cut if there is too little space. */
  shrink?: true | undefined;
  /**
   * The column may be left out if there is too little space. Columns with the highest number go
   * first.
   */
  drop?: number | undefined;
};

type Sheet = { columns: readonly Column[]; rows: readonly (readonly Cell[])[] };

const GAP = 2;
const SHRUNK_WIDTH_MIN = 14;

/** Formats the table as lines that are at most `width` wide, or as wide as its IDs require. */
export function tableLines({ columns, rows }: Sheet, width: number, paint: Paint): string[] {
  const natural = columns.map(({ title }, at) =>
    Math.max(title.length, ...rows.map((row) => widthOf(row[at]?.text ?? ''))),
  );
  const kept = keptColumns(columns, natural, width);
  const widths = fittedWidths(columns, natural, { kept, width });
  const line = (cells: readonly Cell[]) =>
    kept
      .map((at, place) => {
        const { text = '', tone } = cells[at] ?? {};
        const shown = cut(text, widths[at] ?? 0);
        const filled = place === kept.length - 1 ? shown : pad(shown, widths[at] ?? 0);
        // Only the text is coloured, not the padding, so that trailing spaces have no background.
        return paint(tone, shown) + filled.slice(shown.length);
      })
      .join(' '.repeat(GAP))
      .trimEnd();
  const head = columns.map(({ title }): Cell => ({ text: title.toUpperCase(), tone: 'dim' }));
  return [line(head), ...rows.map(line)];
}

const minWidthOf = (column: Column | undefined, natural: number): number =>
  column?.shrink ? Math.min(natural, SHRUNK_WIDTH_MIN) : natural;

const spanOf = (widths: readonly number[]): number =>
  widths.reduce((sum, one) => sum + one, GAP * (widths.length - 1));

function keptColumns(columns: readonly Column[], natural: number[], width: number): number[] {
  let kept = columns.map((_, at) => at);
  const minWidth = () => spanOf(kept.map((at) => minWidthOf(columns[at], natural[at] ?? 0)));
  while (minWidth() > width) {
    const dropped = kept
      .filter((at) => columns[at]?.drop !== undefined)
      .toSorted((a, b) => (columns[b]?.drop ?? 0) - (columns[a]?.drop ?? 0))[0];
    if (dropped === undefined) break;
    kept = kept.filter((at) => at !== dropped);
  }
  return kept;
}

/** Narrows the widest shrinkable column, one character at a time, until the table fits. */
function fittedWidths(
  columns: readonly Column[],
  natural: number[],
  { kept, width }: { kept: number[]; width: number },
): number[] {
  const widths = [...natural];
  const flexible = kept.filter((at) => columns[at]?.shrink);
  for (let over = spanOf(kept.map((at) => widths[at] ?? 0)) - width; over > 0; over -= 1) {
    const widest = flexible.toSorted((a, b) => (widths[b] ?? 0) - (widths[a] ?? 0))[0];
    const now = widest === undefined ? 0 : (widths[widest] ?? 0);
    if (widest === undefined || now <= SHRUNK_WIDTH_MIN) break;
    widths[widest] = now - 1;
  }
  return widths;
}
