/**
 * The regular expressions of production code, and what is wrong with them. An expression whose time
 * grows faster than its input lets a caller stop a process with a few kilobytes.
 */
import { type Argument, Visitor } from 'oxc-parser';
import { checkSync } from 'recheck';
import { type Fault, isTest, lineAt, type Source } from './tree.ts';

/** `pattern` is null if the expression is not written where it is made. */
export type Expression = { path: string; line: number; pattern: string | null; flags: string };

/** By path and pattern, with the reason why its time does not matter. */
export type Exceptions = Readonly<Record<string, string>>;

/** Far more than the slowest check takes, so that a busy machine does not fail it. */
const CHECK_MS_MAX = 120_000;

// The build of the checker that needs neither Java nor a native program.
process.env.RECHECK_SYNC_BACKEND = 'pure';

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

/** Inserted values are names and numbers, for which a digit stands. */
function patternOf(given: Argument): string | null {
  if (given.type === 'Literal' && typeof given.value === 'string') return given.value;
  if (given.type !== 'TemplateLiteral') return null;
  return given.quasis.map(({ value }) => value.cooked ?? '').join('9');
}

export const nameOf = ({ path, pattern }: Expression): string => `${path} ${pattern ?? ''}`.trim();

const known = new Map<string, string | null>();

/** What is wrong with an expression, or null. */
export function slownessOf(pattern: string, flags: string): string | null {
  const key = `/${pattern}/${flags}`;
  const before = known.get(key);
  if (before !== undefined) return before;
  const says = isPlainlyLinear(pattern, flags) ? null : judged(pattern, flags);
  known.set(key, says);
  return says;
}

function judged(pattern: string, flags: string): string | null {
  const verdict = checkSync(pattern, flags, { timeout: CHECK_MS_MAX });
  if (verdict.status === 'safe') return null;
  if (verdict.status === 'vulnerable') return `takes ${verdict.complexity.summary} time`;
  return 'cannot be checked: write it plainer';
}

/**
 * Without a repetition, the time is fixed for each start. With one start and one repetition of a
 * single character, each character is read a fixed number of times. The checker would take a minute
 * for all of these.
 */
function isPlainlyLinear(pattern: string, flags: string): boolean {
  if (/\\[1-9k]/.test(pattern)) return false;
  const plain = pattern.replaceAll(/\\.|\[(?:\\.|[^\]\\])*\]/g, 'c');
  const repetitions = plain.match(/[*+]|\{\d+,\d*\}/g)?.length ?? 0;
  if (repetitions === 0) return true;
  const hasOneStart = plain.startsWith('^') && !flags.includes('m') && !hasAlternatives(plain);
  return repetitions === 1 && hasOneStart && !/\)(?:[*+]|\{)/.test(plain);
}

/** Whether there is a `|` outside of all groups. */
function hasAlternatives(plain: string): boolean {
  const outer = plain.replaceAll(/\([^()]*\)/g, 'c');
  return outer === plain ? plain.includes('|') : hasAlternatives(outer);
}

export function expressionFaults(all: readonly Expression[], exceptions: Exceptions): Fault[] {
  return all.flatMap((each) => {
    if (Object.hasOwn(exceptions, nameOf(each))) return [];
    const { path, line, pattern, flags } = each;
    if (pattern === null) return [{ path, line, says: 'is not written where it is made' }];
    const says = slownessOf(pattern, flags);
    return says === null ? [] : [{ path, line, says: `/${pattern}/${flags} ${says}` }];
  });
}
