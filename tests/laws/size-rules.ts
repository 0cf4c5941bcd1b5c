/** How long a file, a function and a line may be. SQL and JSON are free. */
import { lineAt } from './lexer.ts';
import { type Fault, isTest, type Source } from './tree.ts';

export const FILE_LINES_MAX = 250;
export const TEST_LINES_MAX = 300;
export const FUNCTION_LINES_MAX = 60;
export const LINE_COLUMNS_MAX = 100;

export function sizeFaults(source: Source): Fault[] {
  const { path, text, texts } = source;
  const lines = text.replace(/\n$/, '').split('\n');
  const most = isTest(path) ? TEST_LINES_MAX : FILE_LINES_MAX;
  const tooLong = lines.length > most;
  // A line that holds a literal may be wider: a sentence or an address is not cut in two.
  const literals = texts.split('\n');
  const wide = lines.flatMap((line, at) =>
    [...line].length > LINE_COLUMNS_MAX && !literals[at]?.trim() ? [at + 1] : [],
  );
  return [
    ...(tooLong ? [{ path, line: 1, says: `${lines.length} lines, at most ${most}` }] : []),
    ...wide.map((line) => ({ path, line, says: `wider than ${LINE_COLUMNS_MAX} columns` })),
    ...functionsOf(source)
      .filter(({ from, to }) => to - from + 1 > FUNCTION_LINES_MAX)
      .map(({ from, to }) => ({
        path,
        line: from,
        says: `a function of ${to - from + 1} lines, at most ${FUNCTION_LINES_MAX}`,
      })),
  ];
}

type Span = { from: number; to: number };

/**
 * Every function with a body in braces: from the line of its parameters to its closing brace.
 * Blocks of `if`, `for` and the like are no functions, and neither is what `describe` gathers.
 */
export function functionsOf({ text, code }: Source): Span[] {
  const partner = matchBrackets(code);
  const spans: Span[] = [];
  for (const { index: close } of code.matchAll(/\)/g)) {
    const open = partner.get(close);
    const body = open === undefined ? null : bodyAfter(code, close + 1, partner);
    if (open === undefined || body === null) continue;
    const before = code.slice(Math.max(0, open - 200), open);
    if (/\b(if|for|while|switch|catch|with|await)\s*$/.test(before)) continue;
    if (/\b(describe|suite)\s*\([^()]*$/.test(before)) continue;
    const end = partner.get(body) ?? code.length;
    spans.push({ from: lineAt(text, open), to: lineAt(text, end) });
  }
  return spans;
}

/** The offset of the brace that opens a body after the parameters, past a result type if any. */
function bodyAfter(code: string, from: number, partner: Map<number, number>): number | null {
  let expectsType = false;
  for (let at = from; at < code.length; at += 1) {
    const char = code[at] ?? '';
    if (/\s/.test(char)) continue;
    if (char === '{' && !expectsType) return at;
    if (code.startsWith('=>', at)) {
      // Either the arrow of our function, or one inside its result type.
      const next = code.slice(at + 2).search(/\S/) + at + 2;
      return code[next] === '{' ? next : null;
    }
    if (char === '{' || char === '(' || char === '[') {
      at = partner.get(at) ?? code.length;
      expectsType = false;
      continue;
    }
    const inType = at !== from && code.slice(from, at).includes(':');
    if (char !== ':' && !inType) return null;
    if (/[;,)=}]/.test(char) && !isInAngles(code.slice(from, at))) return null;
    expectsType = /([:|&<,]|\b(is|keyof|readonly))$/.test(code.slice(from, at + 1));
  }
  return null;
}

const isInAngles = (text: string) =>
  (text.match(/</g) ?? []).length > (text.match(/(?<!=)>/g) ?? []).length;

/** For each bracket its partner's offset, both ways. */
function matchBrackets(code: string): Map<number, number> {
  const partner = new Map<number, number>();
  const open: number[] = [];
  for (const { 0: char, index } of code.matchAll(/[()[\]{}]/g)) {
    if ('([{'.includes(char)) {
      open.push(index);
      continue;
    }
    const from = open.pop();
    if (from === undefined) continue;
    partner.set(from, index).set(index, from);
  }
  return partner;
}
