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

test('no literal is spread into a literal, and no array declares variables', () => {
  deepEqual(list(sources(['ts', 'tsx', 'mjs']).flatMap(shapeFaults)), []);
});

test('a phrase is refused in comments, messages and test names, not in code', () => {
  refused('// Whoever asks is told.\n');
  refused('/** Told after the commit. */\n');
  refused(`log.warn('the ear was lost');\n`);
  refused(`test('a member who writes', () => {});\n`, 'packages/server/src/doors/read.test.ts');
  allowed('const who = told(news);\n');
  allowed(`const told = 'x';\n// The shadow of a hold.\n`);
  allowed(`const text = 'who';\n`, 'packages/server/src/doors/read.test.ts');
});

test('a comment has a width', () => {
  allowed(`// ${'x'.repeat(COMMENT_COLUMNS_MAX - 3)}\n`);
  refused(`// ${'x'.repeat(COMMENT_COLUMNS_MAX - 2)}\n`);
});

test('code blocks of a document are not prose', () => {
  const one = { path: 'docs/a.md', text: 'Plain.\n\n```sh\nwho\n```\n' };
  deepEqual(documentFaults(one), []);
  deepEqual(documentFaults({ ...one, text: 'Told.\n' }).length, 1);
});

test('spread literals and array declarations are found', () => {
  const faults = (text: string) => shapeFaults(source(path, text)).length;
  deepEqual(faults('const a = { ...{ b, c }, d };'), 1);
  deepEqual(faults('const a = [...[b, c], d];'), 1);
  deepEqual(faults('const [a, b] = [1, 2];'), 1);
  deepEqual(faults('const a = { ...b, ...(c && { d }) }; [e, f] = [f, e];'), 0);
});
