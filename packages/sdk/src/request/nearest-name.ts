// The valid name that a misspelt one most likely stands for.

/** Letters that may be wrong, missing or superfluous. */
const WRONG_LETTERS_MAX = 2;

/** Null if no name is alike. */
export function nearestName(name: string, known: readonly string[]): string | null {
  const lower = name.toLowerCase();
  let nearest: string | null = null;
  let least = WRONG_LETTERS_MAX + 1;
  for (const each of known) {
    // This also bounds the length of what is compared.
    if (Math.abs(each.length - name.length) >= least) continue;
    const wrong = wrongLetters(lower, each.toLowerCase());
    if (wrong < least) [nearest, least] = [each, wrong];
  }
  return nearest;
}

/** The Levenshtein distance, row by row of its table. */
function wrongLetters(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let line = 1; line <= one.length; line += 1) {
    const next = [line];
    for (let at = 1; at <= other.length; at += 1) {
      const replaced = (row[at - 1] ?? 0) + (one[line - 1] === other[at - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[at] ?? 0) + 1, (next[at - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
