import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import {
  FILE_LINES_MAX,
  FUNCTION_LINES_MAX,
  functionsOf,
  LINE_COLUMNS_MAX,
  sizeFaults,
  TEST_LINES_MAX,
} from './size-rules.ts';
import { list, source, sources } from './tree.ts';

const path = 'packages/server/src/doors/read.ts';
const faults = (text: string, at = path) => sizeFaults(source(at, text)).length;
const lines = (count: number) => '  one();\n'.repeat(count);

test('every file, function and line in the house is small', () => {
  const all = sources(['ts', 'tsx', 'mjs']);
  ok(all.length > 20, 'the walk found the sources');
  deepEqual(list(all.flatMap(sizeFaults)), []);
});

test('a file may be so long and no longer, a test a little longer', () => {
  equal(faults(lines(FILE_LINES_MAX)), 0);
  equal(faults(lines(FILE_LINES_MAX + 1)), 1);
  equal(faults(lines(TEST_LINES_MAX), 'tests/world.ts'), 0);
  equal(faults(lines(TEST_LINES_MAX + 1), 'packages/server/src/doors/read.test.ts'), 1);
});

test('a line may be so wide and no wider', () => {
  equal(faults(`// ${'x'.repeat(LINE_COLUMNS_MAX - 3)}\n`), 0);
  equal(faults(`// ${'x'.repeat(LINE_COLUMNS_MAX - 2)}\n`), 1);
  equal(faults(`one('${'x'.repeat(LINE_COLUMNS_MAX)}');\n`), 0);
});

for (const head of [
  'function f(a: string) {',
  'export async function f<T>({ a }: { a: T }): Promise<Map<string, T>> {',
  'function f(): { a: string } {',
  'function f(a: unknown): a is { b: string } {',
  'const f = (a: string) => {',
  'const f = async (a: string): Promise<void> => {',
  'class C { method(a: string): void {',
  `test('a sentence', async (t) => {`,
]) {
  test(`a long function is found: ${head}`, () => {
    const close = head.startsWith('class') ? '}}' : '}';
    equal(faults(`${head}\n${lines(FUNCTION_LINES_MAX - 2)}${close}\n`), 0);
    equal(faults(`${head}\n${lines(FUNCTION_LINES_MAX - 1)}${close}\n`), 1);
  });
}

for (const head of [
  'if (a) {',
  'for (const a of b()) {',
  'switch (a) {',
  `describe('a subject', () => {`,
  'const routes = serve(endpoints, {',
  'type F = (a: string) => void; const table = {',
  'const a = b ? (c) : {',
]) {
  test(`what is no function is not measured: ${head}`, () => {
    equal(faults(`${head}\n${lines(FUNCTION_LINES_MAX + 10)}}\n`), 0);
  });
}

test('braces in strings, templates, comments and patterns do not count', () => {
  const text = [
    'function f() {',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the source under test.
    "  one('}', \"}\", `}${two({ three: '}' })}}`); // }",
    '  /* } */ four(/[}/]\\/}/g);',
    '}',
    '',
  ].join('\n');
  deepEqual(functionsOf(source(path, text)), [{ from: 1, to: 4 }]);
});
