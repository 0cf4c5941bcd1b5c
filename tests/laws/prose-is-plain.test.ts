import { deepEqual, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { documents } from '@keyrail/testing/documents.ts';
import { COMMENT_COLUMNS_MAX, documentFaults, proseFaults } from './prose-rules.ts';
import { shapeFaults } from './shape-rules.ts';
import { list, source, sources } from './tree.ts';

const path = 'packages/server/src/doors/read.ts';
const says = (text: string, at = path) => proseFaults(source(at, text)).map((one) => one.says);
const refused = (text: string, at = path) => ok(says(text, at).length > 0, text);
const allowed = (text: string, at = path) => deepEqual(says(text, at), []);

test('every comment, message and test name is plain', () => {
  const all = sources(['ts', 'tsx', 'mjs', 'sql']);
  ok(all.length > 20, 'the walk found the sources');
  deepEqual(list(all.flatMap(proseFaults)), []);
});

test('every document is plain', () => {
  const all = documents();
  ok(all.length > 20, 'the walk found the documents');
  deepEqual(list(all.flatMap(documentFaults)), []);
});

test('no file spreads a literal into a literal, or declares several variables through an array literal', () => {
  deepEqual(list(sources(['ts', 'tsx', 'mjs']).flatMap(shapeFaults)), []);
});

test('a phrase is rejected in comments, messages and test names, but not in code', () => {
  refused('// The ear of the node.\n');
  refused('/** Created anew. */\n');
  refused(`log.warn('the ear was lost');\n`);
  refused(`test('a desk for his key', () => {});\n`, 'packages/server/src/doors/read.test.ts');
  refused(`t.test('a desk', () => {});\n`, 'packages/server/src/doors/read.test.ts');
  allowed('const ear = mint(news);\n');
  allowed(`const ear = 'x';\n// The shadow of a hold.\n`);
  allowed(`const text = 'an ear';\n`, 'packages/server/src/doors/read.test.ts');
  allowed('// A member who was told about it.\n');
});

test('each phrase is rejected, and a similar but correct one is allowed', () => {
  for (const [phrase, similar] of [
    ['so many keys', 'some keys'],
    ['counts anew', 'a new count'],
    ['be it a key', 'before it'],
    ['the shelf of a key', 'the shelter'],
    ['his key', 'this key'],
    ['it belongs into a file', 'it belongs in a file'],
    ['they belong into a file', 'they belong to a file'],
    ['mends the table', 'amends the table'],
    ['it is mended', 'it is recommended'],
    ['to found a workspace', 'to find a workspace'],
    ['they founded the workspace', 'no workspace was found'],
    ['mints a token', 'peppermint'],
    ['while minting', 'while hinting'],
    ['revoked at once', 'revoked at most once'],
    ['recovers by itself', 'recovers on its own'],
    ['the log could not be read', 'the log could not be written'],
    ['the poll goes on', 'the poll goes one step further'],
    ['this is no key', 'this is not a key'],
    ['a text is no JSON', 'there is no JSON'],
    ['it is no key', 'it is no longer a key'],
    ['the link was used already', 'the link has already been used'],
    ['nothing was changed yet', 'it was not yet changed'],
    ['white space', 'whitespace'],
    ['a look-up', 'a lookup'],
    ['the successor of a key', 'the `successor` and its successor_id'],
  ] as const) {
    refused(`// It says ${phrase}.\n`);
    allowed(`// It says ${similar}.\n`);
  }
});

test("a phrase is found even if it continues on a comment's next line, but not across two comments", () => {
  refused('// Revoked at\n// once.\n');
  refused('/**\n * Recovers by\n * itself.\n */\n');
  refused('-- Revoked at\n-- once.\n', 'packages/server/src/db/migrations/0001_x.sql');
  allowed('// Where it is\nconst a = 1;\n// no key fits.\n');
});

test("the interface's texts must use the spellings email and ID", () => {
  const texts = 'packages/dashboard/src/parts/key/texts.ts';
  refused(`const text = 'External Id';\n`, texts);
  refused(`const text = 'Id';\n`, texts);
  refused(`const text = 'E-mail';\n`, 'packages/widget/src/texts.ts');
  refused('// The e-mail of a member.\n', texts);
  allowed(`const userId = 'External ID, email';\n`, texts);
  allowed('// The e-mail of a member.\n');
});

test('messages fixed by the contract are allowed', () => {
  allowed(`const text = 'Invalid e-mail address or password.';\n`, 'packages/widget/src/texts.ts');
  refused(`const text = 'Invalid e-mail address.';\n`, 'packages/widget/src/texts.ts');
});

test('a comment that is too wide is rejected', () => {
  allowed(`// ${'x'.repeat(COMMENT_COLUMNS_MAX - 3)}\n`);
  refused(`// ${'x'.repeat(COMMENT_COLUMNS_MAX - 2)}\n`);
});

test('code blocks in a document are not checked', () => {
  const one = { path: 'docs/a.md', text: 'Plain.\n\n```sh\nmint\n```\n' };
  deepEqual(documentFaults(one), []);
  deepEqual(documentFaults({ ...one, text: 'Use `mint` anew.\n' }).length, 1);
});

test('spread literals, and variables declared by an array literal, are detected', () => {
  const faults = (text: string) => shapeFaults(source(path, text)).length;
  deepEqual(faults('const a = { ...{ b, c }, d };'), 1);
  deepEqual(faults('const a = [...[b, c], d];'), 1);
  deepEqual(faults('const [a, b] = [1, 2];'), 1);
  deepEqual(faults('const a = { ...b, ...(c && { d }) }; [e, f] = [f, e];'), 0);
});
