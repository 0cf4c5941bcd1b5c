// Every code block in the documents is either run or compiled by a test, or says why not.
import { deepEqual, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { type Block, blocksOf, documents } from '@keyrail/testing/documents.ts';

/** tests/journeys/documents and production run shell commands, and tests/packages compiles code. */
const TESTED = ['sh', 'ts', 'js'];
/** Returns whether tests/faults/database-roles runs this block. */
const isTestedSql = ({ language, document }: Block): boolean =>
  language === 'sql' && document === 'docs/operate.md';
/** The language of blocks that aren't code: a program's output, a header, a diagram. */
const SHOWN = 'text';

const faultsOf = (blocks: Block[]): string[] =>
  blocks
    .filter(({ language, notRun }) => !TESTED.includes(language) && language !== SHOWN && !notRun)
    .filter((block) => !isTestedSql(block))
    .map(({ place, language }) => `${place}: no test runs ${language} blocks; add "not run: why"`);

test('every code block is run by a test, or says why not', () => {
  const all = documents().flatMap(blocksOf);
  ok(all.length > 40, 'the blocks were found');
  deepEqual(faultsOf(all), []);
});

test('a block that is not run and gives no reason is reported with its line number', () => {
  const block = (text: string) => faultsOf(blocksOf({ path: 'docs/a.md', text }));
  deepEqual(block('A.\n\n```sql\nselect 1;\n```\n'), [
    'docs/a.md:3: no test runs sql blocks; add "not run: why"',
  ]);
  deepEqual(block('A.\n\n```\nls\n```\n').length, 1);
  deepEqual(block('A.\n\n<!-- not run: needs an administrator -->\n```sql\nselect 1;\n```\n'), []);
  deepEqual(block('<!-- not run: yes -->\n\nText between.\n\n```ini\na=b\n```\n').length, 1);
  deepEqual(block('```sh\nls\n```\n\n```text\nfile\n```\n'), []);
});
