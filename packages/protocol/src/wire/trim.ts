// Trims text by index. A regular expression such as `x+$` tries to match again at each `x`, so the
// time it takes grows with the square of the length.

/** The text without any of the given characters at its end. */
export function withoutEnd(text: string, chars: string): string {
  let end = text.length;
  while (end > 0 && chars.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/** The text without any of the given characters at its start or end. */
export function trimmed(text: string, chars: string): string {
  let start = 0;
  while (start < text.length && chars.includes(text.charAt(start))) start += 1;
  return withoutEnd(text.slice(start), chars);
}
