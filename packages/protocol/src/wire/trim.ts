// Trims text by index. A regular expression such as `x+$` tries to match again at each `x`, so the
// time it takes grows with the square of the length.

/** Removes any of the given characters from the end of the text. */
export function withoutEnd(text: string, chars: string): string {
  let end = text.length;
  while (end > 0 && chars.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/** Removes any of the given characters from the start and end of the text. */
export function trimmed(text: string, chars: string): string {
  let start = 0;
  while (start < text.length && chars.includes(text.charAt(start))) start += 1;
  return withoutEnd(text.slice(start), chars);
}
