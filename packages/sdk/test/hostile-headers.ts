// Header values that a caller may send: random, adversarial, and close to a genuine key.
import { type Chance, oneOf, upTo } from '@keyrail/testing/seeded-chance.ts';

/** Long values that a backtracking regular expression or a nested loop would process slowly. */
export const pumped: Readonly<Record<string, (length: number) => string>> = {
  'blanks between letters': (length) => `x${' '.repeat(length - 2)}y`,
  'tabs after a letter': (length) => `x${'\t'.repeat(length - 1)}`,
  'blanks after the scheme': (length) => `Bearer ${' '.repeat(length - 8)}\tx`,
  'words after the scheme': (length) => `Bearer ${'a '.repeat(length / 2)}`,
  'the scheme again and again': (length) => 'Bearer '.repeat(length / 7),
  'starts of keys': (length) => 'kr_live_'.repeat(length / 8),
  'one long word': (length) => 'a'.repeat(length),
  commas: (length) => ' ,'.repeat(length / 2),
  quotes: (length) => '"\\'.repeat(length / 2),
};

const pieces = [' ', '\t', ',', ';', '=', '"', '\\', '%', 'Bearer ', 'kr_live_', 'kr_', 'krsk_'];
const latin = (chance: Chance): string => String.fromCharCode(0x20 + upTo(chance, 0xff - 0x20));

/** A value that is not the key, but contains or resembles it. */
const nearby: readonly ((key: string, chance: Chance) => string)[] = [
  (key, chance) => {
    const at = upTo(chance, key.length - 1);
    const other = latin(chance);
    return key.slice(0, at) + (other === key[at] ? '~' : other) + key.slice(at + 1);
  },
  (key, chance) => key + oneOf(chance, ['x', ' x', ',', `, ${key}`, key, '\u00a0', '\u00ff']),
  (key, chance) => oneOf(chance, ['x', 'x ', ',', '\u00a0', 'Basic ', 'Bearer:']) + key,
  (key, chance) => key.slice(0, upTo(chance, key.length - 1)),
  (key) => key.toUpperCase(),
  (key) => `Bearer ${key} ${key}`,
  (key) => `Bearer ${key}, Bearer ${key}`,
  (key) => `Basic ${Buffer.from(key).toString('base64')}`,
  (key) => `${key}${' '.repeat(600)}x`,
];

/** Returns a value that is not the key, of at most `charsMax` characters. */
export function hostileValue(chance: Chance, { key, charsMax }: { key: string; charsMax: number }) {
  const length = 8 + upTo(chance, oneOf(chance, [20, 500, 520, charsMax - 8]));
  const kind = upTo(chance, 3);
  if (kind === 0) return oneOf(chance, nearby)(key, chance);
  if (kind === 1) return oneOf(chance, Object.values(pumped))(length);
  if (kind === 2) return Array.from({ length }, () => latin(chance)).join('');
  let value = '';
  while (value.length < length) value += oneOf(chance, pieces).repeat(1 + upTo(chance, 9));
  return value;
}
