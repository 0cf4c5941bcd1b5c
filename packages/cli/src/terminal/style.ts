// Formats text for a terminal: colours, display widths, and visible control characters.

export type Tone = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';

const codes: Readonly<Record<Tone, number>> = {
  bold: 1,
  dim: 2,
  red: 31,
  green: 32,
  yellow: 33,
  cyan: 36,
};

export type Paint = (tone: Tone | undefined, text: string) => string;

export const painter =
  (enabled: boolean): Paint =>
  (tone, text) =>
    enabled && tone && text !== '' ? `\u001b[${codes[tone]}m${text}\u001b[0m` : text;

/**
 * Makes control and text-direction characters visible. Names come from customers, and an escape
 * sequence in a name must not move the cursor, overwrite a line or hide a word.
 */
export const printable = (text: string): string =>
  text.replaceAll(
    /(?!\u200d)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu,
    (char) => `\\u${(char.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  );

const segmenter = new Intl.Segmenter();
const WIDE =
  /^[\u1100-\u115f\u2e80-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;

const widthOfOne = (grapheme: string): number => {
  if (WIDE.test(grapheme) || /\p{Emoji_Presentation}/u.test(grapheme)) return 2;
  return /^\p{M}/u.test(grapheme) ? 0 : 1;
};

/** How many columns a printable string takes up. */
export function widthOf(text: string): number {
  let width = 0;
  for (const { segment } of segmenter.segment(text)) width += widthOfOne(segment);
  return width;
}

/** Truncates text that is wider than `width`, and ends it with an ellipsis. */
export function cut(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let kept = '';
  let used = 0;
  for (const { segment } of segmenter.segment(text)) {
    used += widthOfOne(segment);
    if (used > width - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}

export const pad = (text: string, width: number): string =>
  text + ' '.repeat(Math.max(0, width - widthOf(text)));
