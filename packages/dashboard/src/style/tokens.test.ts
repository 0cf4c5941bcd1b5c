// Checks the contrast of the colour tokens.
import { equal, ok } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const css = readFileSync(join(import.meta.dirname, 'tokens.css'), 'utf8');

type Tokens = ReadonlyMap<string, string>;

const blockAfter = (selector: string): Tokens => {
  const [, rest = ''] = css.split(`${selector} {`);
  const [block = ''] = rest.split('}');
  return new Map(
    Array.from(block.matchAll(/--([\w-]+): (#[0-9a-f]{6});/g), ([, name = '', hex = '']) => [
      name,
      hex,
    ]),
  );
};

const light = blockAfter('  :root');
const dark = blockAfter(':root[data-theme="dark"]');

function luminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(tokens: Tokens, front: string, back: string): number {
  const [one, two] = [front, back].map((name) => luminance(tokens.get(name) ?? '#777777'));
  const [low = 0, high = 0] = [one ?? 0, two ?? 0].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

const TEXT_MIN = 4.5;
const BORDER_MIN = 3;
const surfaces = ['page', 'card', 'side', 'raised'];
const texts = ['ink', 'soft', 'dim', 'accent', 'good', 'warn', 'bad', 'test'];
const series = [1, 2, 3, 4, 5].map((at) => `series-${at}`);
const soft = ['good', 'warn', 'bad', 'test'];

for (const [theme, tokens] of [
  ['light', light],
  ['dark', dark],
] as const) {
  test(`text, borders and the focus ring have enough contrast in ${theme}`, () => {
    equal(tokens.size, 25, 'every colour was read');
    const atLeast = (min: number, front: string, back: string) => {
      const ratio = contrast(tokens, front, back);
      ok(ratio >= min, `${front} on ${back}: ${ratio.toFixed(2)}, not ${min}`);
    };
    for (const surface of surfaces) {
      for (const text of [...texts, ...series]) atLeast(TEXT_MIN, text, surface);
      atLeast(BORDER_MIN, 'edge-strong', surface);
    }
    for (const tone of soft) {
      atLeast(TEXT_MIN, tone, `${tone}-soft`);
      atLeast(TEXT_MIN, 'ink', `${tone}-soft`);
      atLeast(TEXT_MIN, 'soft', `${tone}-soft`);
    }
    atLeast(TEXT_MIN, 'on-accent', 'accent');
    atLeast(TEXT_MIN, 'page', 'test-frame');
    atLeast(BORDER_MIN, 'test-frame', 'test-soft');
  });
}
