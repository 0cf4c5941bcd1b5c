// The range of strings, or of IDs, that begin with a given prefix.
import { UUID_ANY_CASE } from '@keyrail/protocol/wire/uuid.ts';

/**
 * `from` is the first string in the range. `to` is the first string after the range; null if there
 * is none.
 */
type TextRange = { from: string; to: string | null };

const CODE_POINT_MAX = 0x10ffff;
const BEFORE_SURROGATES = 0xd7ff;
const AFTER_SURROGATES = 0xe000;

/** Lowercases only the ASCII letters, as in the columns that searches use. */
export const lowered = (text: string): string =>
  text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());

/**
 * Returns the range of all strings that begin with `start`, after lowercasing its ASCII letters.
 * Strings are sorted by code point, which is the same as byte order.
 */
export function textRangeOf(start: string): TextRange {
  const from = lowered(start);
  const chars = [...from];
  for (let last = chars.pop(); last !== undefined; last = chars.pop()) {
    const code = last.codePointAt(0) ?? 0;
    if (code === CODE_POINT_MAX) continue;
    const next = code === BEFORE_SURROGATES ? AFTER_SURROGATES : code + 1;
    return { from, to: chars.join('') + String.fromCodePoint(next) };
  }
  return { from, to: null };
}

const ID_MIN = '00000000-0000-0000-0000-000000000000';
const ID_MAX = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** The first and the last ID that begin with `start`; null if no ID does. */
export function idRangeOf(start: string): { from: string; to: string } | null {
  const from = start + ID_MIN.slice(start.length);
  const isId = UUID_ANY_CASE.test(from);
  return isId ? { from, to: start + ID_MAX.slice(start.length) } : null;
}
