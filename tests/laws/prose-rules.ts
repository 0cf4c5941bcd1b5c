/**
 * Plain English in comments, messages, test names and documents. The list is short on purpose: it
 * names the phrases that made earlier texts hard to read, so that they stay out.
 */
import { Visitor } from 'oxc-parser';
import { type Fault, lineAt, type Source } from './tree.ts';

export const COMMENT_COLUMNS_MAX = 100;

type Phrase = { pattern: RegExp; instead: string };

const phrases: Phrase[] = [
  {
    pattern: /\b(who|whoever|whom|whomever)\b/gi,
    instead: 'name the subject: a noun from the code',
  },
  { pattern: /\btold\b|\btells? of\b/gi, instead: 'say "logged", "reported", "notified", …' },
  { pattern: /\bso (many|long|much)\b/gi, instead: 'give the number or its name' },
  { pattern: /\banew\b/gi, instead: 'say "again"' },
  { pattern: /\bbe it\b/gi, instead: 'say "whether"' },
  { pattern: /\b(ears?|desks?|shelf|shelves|news)\b/gi, instead: 'use the word of the field' },
  { pattern: /\b(he|him|his|himself)\b/g, instead: 'name the role: the caller, the member' },
];

export function proseFaults(source: Source): Fault[] {
  const { path, text, comments, messages } = source;
  const isProduct = /^packages\/[^/]+\/src\//.test(path) && !path.endsWith('.test.ts');
  return [
    ...wideComments(source),
    ...phraseFaults({ path, text }, comments),
    ...(isProduct ? phraseFaults({ path, text }, withoutColumn(path, messages)) : []),
    ...testNames(source).flatMap(({ name, start }) => phraseFaults({ path, text }, name, start)),
  ];
}

/** A column of `api_keys` has a name that is refused elsewhere; statements have to use it. */
const withoutColumn = (path: string, messages: string): string =>
  path.endsWith('rows.ts') ? messages.replaceAll('shelf', '     ') : messages;

export const documentFaults = ({ path, text }: Written): Fault[] =>
  phraseFaults(
    { path, text },
    text.replaceAll(/```[\s\S]*?```/g, (code) => code.replace(/[^\n]/g, ' ')),
  );

type Written = { path: string; text: string };

function phraseFaults({ path, text }: Written, view: string, offset = 0): Fault[] {
  return phrases.flatMap(({ pattern, instead }) =>
    [...view.matchAll(pattern)].map(({ 0: phrase, index }) => ({
      path,
      line: lineAt(text, offset + index),
      says: `says "${phrase}": ${instead}`,
    })),
  );
}

const wideComments = ({ path, comments, text }: Source): Fault[] =>
  comments.split('\n').flatMap((comment, at) => {
    const line = text.split('\n')[at] ?? '';
    if (comment.trim() === '' || [...line].length <= COMMENT_COLUMNS_MAX) return [];
    return [{ path, line: at + 1, says: `a comment wider than ${COMMENT_COLUMNS_MAX} columns` }];
  });

/** The first argument of `test`, `it` and `describe`. */
function testNames({ parsed, path }: Source): { name: string; start: number }[] {
  if (parsed === null || !path.endsWith('.test.ts')) return [];
  const names: { name: string; start: number }[] = [];
  new Visitor({
    CallExpression({ callee, arguments: [first] }) {
      if (callee.type !== 'Identifier' || !/^(test|it|describe)$/.test(callee.name)) return;
      if (first?.type === 'Literal' && typeof first.value === 'string') {
        names.push({ name: first.value, start: first.start });
      }
    },
  }).visit(parsed.program);
  return names;
}
