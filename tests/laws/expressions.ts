/**
 * The regular expressions in production code, and what is wrong with them. If an expression's
 * running time grows faster than its input, a caller can block a process with a few kilobytes.
 */
import { type Argument, Visitor } from 'oxc-parser';
import { check } from 'recheck';
import { type Fault, isTest, lineAt, type Source } from './tree.ts';

/** `pattern` is null if the expression isn't a literal. */
export type Expression = { path: string; line: number; pattern: string | null; flags: string };

/** Exceptions by path and pattern, each with the reason why the running time doesn't matter. */
export type Exceptions = Readonly<Record<string, string>>;

/** A check's time limit: far more than the slowest one takes, in case the machine is busy. */
const CHECK_MS_MAX = 120_000;

export function expressionsIn({ path, text, parsed }: Source): Expression[] {
  const found: Expression[] = [];
  if (parsed === null || isTest(path)) return found;
  const add = (start: number, pattern: string | null, flags: string) =>
    found.push({ path, line: lineAt(text, start), pattern, flags });
  const made = (start: number, [pattern, flags]: readonly Argument[]) =>
    add(start, pattern ? patternOf(pattern) : '', flags ? (patternOf(flags) ?? '') : '');
  new Visitor({
    Literal: (node) => {
      if ('regex' in node) add(node.start, node.regex.pattern, node.regex.flags);
    },
    NewExpression: ({ callee, start, arguments: given }) => {
      if (callee.type === 'Identifier' && callee.name === 'RegExp') made(start, given);
    },
    CallExpression: ({ callee, start, arguments: given }) => {
      if (callee.type === 'Identifier' && callee.name === 'RegExp') made(start, given);
    },
  }).visit(parsed.program);
  return found;
}

/**
 * Returns a pattern's text. Interpolated values are names and numbers, so a digit replaces each.
 */
function patternOf(given: Argument): string | null {
  if (given.type === 'Literal' && typeof given.value === 'string') return given.value;
  if (given.type !== 'TemplateLiteral') return null;
  return given.quasis.map(({ value }) => value.cooked ?? '').join('9');
}

export const nameOf = ({ path, pattern }: Expression): string => `${path} ${pattern ?? ''}`.trim();

const known = new Map<string, Promise<string | null>>();

/** Returns what is wrong with an expression, or null if nothing is. */
export function slownessOf(pattern: string, flags: string): Promise<string | null> {
  const key = `/${pattern}/${flags}`;
  const says = known.get(key) ?? judged(pattern, flags);
  known.set(key, says);
  return says;
}

/**
 * Runs the checker: a native program if there is one for the platform, otherwise slower JavaScript.
 */
async function judged(pattern: string, flags: string): Promise<string | null> {
  if (isPlainlyLinear(pattern, flags)) return null;
  const verdict = await check(pattern, flags, { timeout: CHECK_MS_MAX });
  if (verdict.status === 'safe') return null;
  if (verdict.status === 'vulnerable') return `takes ${verdict.complexity.summary} time`;
  return 'cannot be checked: simplify it';
}

/**
 * Whether an expression is obviously linear, so that the checker, which would take a minute for all
 * of these, can be skipped. Without repetition, each attempt takes a fixed amount of time. With one
 * starting point and one repeated character, each character of the input is read a fixed number of
 * times.
 */
function isPlainlyLinear(pattern: string, flags: string): boolean {
  if (/\\[1-9k]/.test(pattern)) return false;
  const plain = pattern.replaceAll(/\\.|\[(?:\\.|[^\]\\])*\]/g, 'c');
  const repetitions = plain.match(/[*+]|\{\d+,\d*\}/g)?.length ?? 0;
  if (repetitions === 0) return true;
  const hasOneStart = plain.startsWith('^') && !flags.includes('m') && !hasAlternatives(plain);
  return repetitions === 1 && hasOneStart && !/\)(?:[*+]|\{)/.test(plain);
}

/** Checks whether there is a `|` outside all groups. */
function hasAlternatives(plain: string): boolean {
  const outer = plain.replaceAll(/\([^()]*\)/g, 'c');
  return outer === plain ? plain.includes('|') : hasAlternatives(outer);
}

export async function expressionFaults(
  all: readonly Expression[],
  exceptions: Exceptions,
): Promise<Fault[]> {
  const faults: Fault[] = [];
  for (const each of all) {
    if (Object.hasOwn(exceptions, nameOf(each))) continue;
    const { path, line, pattern, flags } = each;
    const says =
      pattern === null
        ? 'is not a literal where it is created'
        : await slownessOf(pattern, flags).then((text) => text && `/${pattern}/${flags} ${text}`);
    if (says !== null) faults.push({ path, line, says });
  }
  return faults;
}
