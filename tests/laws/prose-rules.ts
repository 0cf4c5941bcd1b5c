/**
 * Plain English in comments, messages, test names and documents. The list is deliberately short: it
 * contains the phrases that made earlier versions hard to read, to keep them out.
 */
import { Visitor } from 'oxc-parser';
import { type Fault, lineAt, type Source } from './tree.ts';

export const COMMENT_COLUMNS_MAX = 100;

type Phrase = { pattern: RegExp; instead: string };

/**
 * A space in a pattern also matches a line break, together with the comment marks that follow it.
 */
const phrase = (words: string, instead: string): Phrase => ({
  pattern: new RegExp(
    words.replaceAll(' ', String.raw`(?:[ \t]+|[ \t]*\n[ \t]*(?:(?://|--|\*|>)[ \t]*)?)`),
    'gi',
  ),
  instead,
});

const phrases: Phrase[] = [
  phrase(String.raw`\bso (many|long|much)\b`, 'give the number or its name'),
  phrase(String.raw`\banew\b`, 'say "again"'),
  phrase(String.raw`\bbe it\b`, 'say "whether"'),
  phrase(String.raw`\b(ears?|desks?|shelf|shelves|news)\b`, 'use the word of the field'),
  { pattern: /\b(he|him|his|himself)\b/g, instead: 'name the role: the caller, the member' },
  phrase(String.raw`\bbelongs? into\b`, 'say "belongs in"'),
  phrase(String.raw`\bmend(s|ed|ing)?\b`, 'say "fix"'),
  phrase(String.raw`\bfound(ed)? (a|the) workspace\b`, 'say "create"'),
  phrase(String.raw`\bmint(s|ed|ing)?\b`, 'say "create"'),
  phrase(String.raw`\bat once\b`, 'say "immediately" or "at the same time"'),
  phrase(String.raw`\bby itself\b`, 'say "automatically" or "on its own"'),
  phrase(String.raw`\bcould not be read\b`, 'name the action: "Couldn\'t load …"'),
  phrase(String.raw`\bgoes on\b`, 'say "continues" or "keeps working"'),
  phrase(String.raw`(?<!\bthere )\bis no (?!longer\b)[a-z]+`, 'say "isn\'t a" or "is not a"'),
  phrase(
    String.raw`\bwas (?!not yet\b)(?:[\w'’-]+ ){1,4}(already|yet)\b`,
    'say "has already been"',
  ),
  phrase(String.raw`\bwhite space\b`, 'say "spaces" or "whitespace"'),
  phrase(String.raw`\blook-ups?\b`, 'say "lookup"'),
  phrase(String.raw`\bsuccessors?\b`, 'say "new key", "next version", …'),
];

/** For strings and comments in the dashboard and the widget. */
const interfacePhrases: Phrase[] = [
  { pattern: /\bIds?\b/g, instead: 'write "ID"' },
  { pattern: /\b[Ee]-mails?\b/g, instead: 'write "email"' },
];
const INTERFACE = /^packages\/(dashboard|widget)\/src\//;

/** Messages fixed by the API contract, also when a test or a document quotes them. */
const FIXED = ['Invalid e-mail address or password.'];

export function proseFaults(source: Source): Fault[] {
  const { path, text, comments, messages, texts } = source;
  const isTestFile = path.endsWith('.test.ts');
  const isProduct = /^packages\/[^/]+\/src\//.test(path) && !isTestFile;
  const file = { path, text };
  const seen = isProduct ? [comments, withoutColumn(path, messages)] : [comments];
  const shown = INTERFACE.test(path) && !isTestFile ? [comments, texts] : [];
  return [
    ...wideComments(source),
    ...seen.flatMap((view) => phraseFaults(file, view)),
    ...shown.flatMap((view) => phraseFaults(file, view, { phrases: interfacePhrases })),
    ...testNames(source).flatMap(({ name, start }) => phraseFaults(file, name, { offset: start })),
  ];
}

/** `shelf` is a rejected word, but statements need it as the name of a column in `api_keys`. */
const withoutColumn = (path: string, messages: string): string =>
  /(rows|\/key-scan|\/key-matches)\.ts$/.test(path)
    ? messages.replaceAll('shelf', '     ')
    : messages;

export const documentFaults = ({ path, text }: Written): Fault[] =>
  phraseFaults({ path, text }, text.replaceAll(/```[\s\S]*?```/g, blank));

type Written = { path: string; text: string };

function phraseFaults(
  { path, text }: Written,
  view: string,
  { offset = 0, phrases: refused = phrases } = {},
): Fault[] {
  const prose = proseOf(view);
  return refused.flatMap(({ pattern, instead }) =>
    [...prose.matchAll(pattern)].map(({ 0: found, index }) => ({
      path,
      line: lineAt(text, offset + index),
      says: `says "${found.replaceAll(/\s+/g, ' ')}": ${instead}`,
    })),
  );
}

/** Blanks out code in backticks and fixed messages. */
const proseOf = (view: string): string =>
  FIXED.reduce((rest, message) => rest.replaceAll(message, blank), view).replaceAll(
    /`[^`\n]+`/g,
    blank,
  );

const blank = (text: string): string => text.replace(/[^\n]/g, ' ');

function wideComments({ path, comments, text }: Source): Fault[] {
  const lines = text.split('\n');
  return comments.split('\n').flatMap((comment, at) => {
    const line = lines[at] ?? '';
    if (comment.trim() === '' || [...line].length <= COMMENT_COLUMNS_MAX) return [];
    return [{ path, line: at + 1, says: `a comment wider than ${COMMENT_COLUMNS_MAX} columns` }];
  });
}

/** Finds the first argument of each call to `test`, `it`, `describe` and `t.test`. */
function testNames({ parsed, path, text }: Source): { name: string; start: number }[] {
  if (parsed === null || !path.endsWith('.test.ts')) return [];
  const names: { name: string; start: number }[] = [];
  new Visitor({
    CallExpression({ callee, arguments: [first] }) {
      if (!/^(test|it|describe|t\.test)$/.test(text.slice(callee.start, callee.end))) return;
      if (first?.type === 'Literal' && typeof first.value === 'string') {
        names.push({ name: first.value, start: first.start });
      }
    },
  }).visit(parsed.program);
  return names;
}
