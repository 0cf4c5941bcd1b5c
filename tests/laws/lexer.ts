/**
 * Tells code from comments and from the contents of strings, templates and regular expressions, so
 * that a law about code is not broken by prose. Every view is as long as the source, with blanks
 * for what it leaves out: an offset in one is an offset in all.
 */

export type Views = {
  /** The code; quotes stand, what they hold is blank. */
  code: string;
  comments: string;
  /** What strings, templates and regular expressions hold. */
  texts: string;
};

type Kind = 'code' | 'comment' | 'text';
type Mark = (from: number, to: number, kind: Kind) => void;

export function lexTypeScript(source: string): Views {
  const { mark, views } = canvas(source);
  // Where each open template continues: the depth of braces at which its `${` was opened.
  const templates: number[] = [];
  let depth = 0;
  let last = '';
  let at = 0;
  const step = (to: number, kind: Kind) => {
    mark(at, to, kind);
    if (kind === 'code') last = (last + source.slice(at, to).trim()).slice(-12);
    at = to;
  };
  const template = (from: number) => {
    const end = endOfTemplate(source, from);
    mark(from, end, 'text');
    at = end;
    if (source[end] === '`') step(end + 1, 'code');
    else if (end < source.length) {
      templates.push(depth);
      step(end + 2, 'code');
    }
  };

  if (source.startsWith('#!')) step(lineEnd(source, 0), 'comment');
  while (at < source.length) {
    const char = source[at] ?? '';
    const pair = source.slice(at, at + 2);
    if (pair === '//') step(lineEnd(source, at), 'comment');
    else if (pair === '/*') step(after(source, '*/', at + 2), 'comment');
    else if (char === '"' || char === "'") quoted(endOfString(source, at + 1, char));
    else if (char === '/' && startsRegex(last)) quoted(endOfRegex(source, at + 1));
    else if (char === '`') {
      step(at + 1, 'code');
      template(at);
    } else if (char === '}' && templates.at(-1) === depth) {
      templates.pop();
      step(at + 1, 'code');
      template(at);
    } else {
      if (char === '{') depth += 1;
      if (char === '}') depth -= 1;
      if (/\s/.test(char) && /[\w$]$/.test(last)) last = `${last} `.slice(-12);
      step(at + 1, 'code');
    }
  }
  return views();

  function quoted(end: number): void {
    step(at + 1, 'code');
    step(end, 'text');
    step(Math.min(end + 1, source.length), 'code');
  }
}

/** Bodies in dollar quotes stay code: a function's statements are held to the laws as well. */
export function lexSql(source: string): Views {
  const { mark, views } = canvas(source);
  for (let at = 0; at < source.length; ) {
    const pair = source.slice(at, at + 2);
    const end =
      pair === '--'
        ? lineEnd(source, at)
        : pair === '/*'
          ? after(source, '*/', at + 2)
          : source[at] === "'"
            ? after(source, "'", at + 1)
            : at + 1;
    const kind = pair === '--' || pair === '/*' ? 'comment' : source[at] === "'" ? 'text' : 'code';
    mark(at, end, kind);
    at = end;
  }
  return views();
}

export const lineAt = (source: string, offset: number) =>
  source.slice(0, offset).split('\n').length;

function canvas(source: string): { mark: Mark; views: () => Views } {
  const kinds: Kind[] = new Array(source.length).fill('code');
  const view = (kind: Kind) =>
    Array.from({ length: source.length }, (_, at) =>
      kinds[at] === kind || source[at] === '\n' ? source[at] : ' ',
    ).join('');
  return {
    mark: (from, to, kind) => kinds.fill(kind, from, to),
    views: () => ({ code: view('code'), comments: view('comment'), texts: view('text') }),
  };
}

function lineEnd(source: string, from: number): number {
  const end = source.indexOf('\n', from);
  return end === -1 ? source.length : end;
}

function after(source: string, what: string, from: number): number {
  const found = source.indexOf(what, from);
  return found === -1 ? source.length : found + what.length;
}

/** Strings and regular expressions end with their line at the latest, so a slip cannot spread. */
function endOfString(source: string, from: number, quote: string): number {
  let at = from;
  while (at < source.length && source[at] !== quote && source[at] !== '\n') {
    at += source[at] === '\\' ? 2 : 1;
  }
  return Math.min(at, source.length);
}

function endOfRegex(source: string, from: number): number {
  let inClass = false;
  let at = from;
  while (at < source.length && source[at] !== '\n' && (inClass || source[at] !== '/')) {
    if (source[at] === '[') inClass = true;
    if (source[at] === ']') inClass = false;
    at += source[at] === '\\' ? 2 : 1;
  }
  return Math.min(at, source.length);
}

function endOfTemplate(source: string, from: number): number {
  let at = from;
  while (at < source.length && source[at] !== '`' && source.slice(at, at + 2) !== '${') {
    at += source[at] === '\\' ? 2 : 1;
  }
  return Math.min(at, source.length);
}

/** A slash divides after a value, and opens a regular expression anywhere else. */
function startsRegex(last: string): boolean {
  const before = last.trimEnd();
  if (/(^|[^\w$.])(return|typeof|case|in|of|await|yield|void|delete)$/.test(before)) return true;
  return before === '' || /[(,=:[!&|?{};+\-*%~^>]$/.test(before);
}
