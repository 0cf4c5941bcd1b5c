// Finds the valid name most likely meant by a misspelt one.

/** A name longer than this gets no suggestion. */
const NAME_CHARS_MAX = 64;

/**
 * Returns the most similar name; null if none is similar enough, or if several are equally similar.
 * Ignores case.
 */
export function nearestName(name: string, known: readonly string[]): string | null {
  if (name.length > NAME_CHARS_MAX) return null;
  const lower = name.toLowerCase();
  const edits = known.map((each) => ({ each, count: editsBetween(lower, each.toLowerCase()) }));
  const least = Math.min(...edits.map(({ count }) => count));
  if (least > Math.max(1, Math.floor(name.length / 4))) return null;
  const [nearest, ...others] = edits.filter(({ count }) => count === least);
  return others.length === 0 && nearest ? nearest.each : null;
}

/**
 * How many edits it takes to turn one name into the other: inserting, removing or replacing a
 * character, or swapping two neighbours.
 */
function editsBetween(from: string, to: string): number {
  let before: number[] = [];
  let row = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (let i = 1; i <= from.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const isSame = from[i - 1] === to[j - 1];
      const edits = [cell(row, j) + 1, cell(next, j - 1) + 1, cell(row, j - 1) + (isSame ? 0 : 1)];
      const isSwap = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      if (isSwap) edits.push(cell(before, j - 2) + 1);
      next.push(Math.min(...edits));
    }
    before = row;
    row = next;
  }
  return cell(row, to.length);
}

const cell = (row: readonly number[], index: number): number => row[index] ?? 0;
