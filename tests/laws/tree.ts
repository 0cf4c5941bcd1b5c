/** The source files that these checks read, parsed once, and the type for reporting a fault. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ParseResult, parseSync, Visitor } from 'oxc-parser';

/**
 * A source file and several views of it. Each view has the same length as the text, with spaces in
 * place of what it omits, so that offsets are the same in all of them.
 */
export type Source = {
  path: string;
  text: string;
  /** The code, including string quotes but not string contents. */
  code: string;
  comments: string;
  /** The contents of strings, templates and regular expressions. */
  texts: string;
  /** The `texts` that contain a space: messages and statements, but not names and paths. */
  messages: string;
  /** The syntax tree; null for SQL. */
  parsed: ParseResult | null;
};

export type Fault = { path: string; line: number; says: string };

const root = join(import.meta.dirname, '..', '..');
const PLACES = '{packages/*/src,tests,lab,scripts,bench}';

const known = new Map<string, Source>();

/**
 * Every source file in the repository with one of the given extensions, parsed once per process.
 */
export function sources(endings: string[], places = PLACES): Source[] {
  const found = globSync(`${places}/**/*.{${endings.join(',')}}`, {
    cwd: root,
    exclude: (name) => name === 'node_modules' || name === 'dist',
  });
  return found.sort().map((path) => {
    const read = known.get(path) ?? source(path, readFileSync(join(root, path), 'utf8'));
    known.set(path, read);
    return read;
  });
}

export function source(path: string, text: string): Source {
  return path.endsWith('.sql') ? sqlSource(path, text) : parsedSource(path, text);
}

type Span = { start: number; end: number };

function parsedSource(path: string, text: string): Source {
  const parsed = parseSync(path, text);
  const strings: Span[] = [];
  const inner = ({ start, end }: Span) => strings.push({ start: start + 1, end: end - 1 });
  new Visitor({
    Literal(node) {
      if (typeof node.value === 'string' || 'regex' in node) inner(node);
    },
    TemplateElement: ({ start, end }) => strings.push({ start, end }),
    JSXText: ({ start, end }) => strings.push({ start, end }),
  }).visit(parsed.program);
  return { path, text, parsed, ...views(text, parsed.comments, strings) };
}

/**
 * Function bodies in dollar quotes count as code, so that the statements in them are checked too.
 */
function sqlSource(path: string, text: string): Source {
  const parts = [...text.matchAll(/--[^\n]*|\/\*[\s\S]*?\*\/|'[^']*'/g)];
  const span = (part: RegExpExecArray): Span => ({
    start: part.index,
    end: part.index + part[0].length,
  });
  const comments = parts.filter(([part]) => !part.startsWith("'")).map(span);
  const strings = parts.filter(([part]) => part.startsWith("'")).map(span);
  return { path, text, parsed: null, ...views(text, comments, strings) };
}

function views(text: string, comments: readonly Span[], strings: readonly Span[]) {
  return {
    code: masked(text, [...comments, ...strings], false),
    comments: masked(text, comments, true),
    texts: masked(text, strings, true),
    messages: masked(
      text,
      strings.filter(({ start, end }) => text.slice(start, end).includes(' ')),
      true,
    ),
  };
}

/** Blanks out these spans, or everything but them. Line breaks are kept. */
function masked(text: string, spans: readonly Span[], keepsSpans: boolean): string {
  const parts: string[] = [];
  const add = (part: string, isKept: boolean) => parts.push(isKept ? part : blank(part));
  let at = 0;
  for (const { start, end } of spans.toSorted((a, b) => a.start - b.start)) {
    add(text.slice(at, start), !keepsSpans);
    add(text.slice(start, end), keepsSpans);
    at = end;
  }
  add(text.slice(at), !keepsSpans);
  return parts.join('');
}

/**
 * Works line by line, because replacing each character with a regular expression takes far longer.
 */
const blank = (text: string): string =>
  text
    .split('\n')
    .map(({ length }) => ' '.repeat(length))
    .join('\n');

export const isTest = (path: string): boolean =>
  /^(tests|lab)\/|^packages\/\w+\/test\/|^packages\/testing\/|\.test\.ts$/.test(path);

export const lineAt = (text: string, offset: number): number =>
  text.slice(0, offset).split('\n').length;

/** Formats one line per fault, for an assertion that expects an empty list. */
export const list = (faults: Fault[]): string[] =>
  faults.map(({ path, line, says }) => `${path}:${line}: ${says}`);
