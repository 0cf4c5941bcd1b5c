import { deepEqual, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { importCircles } from './import-circles.ts';
import { isTest, source, sources } from './tree.ts';

const WITHOUT_CIRCLES = /^(packages\/[^/]+\/src|bench|scripts)\//;

test('no files import each other in a cycle, not even for types', () => {
  const all = sources(['ts', 'tsx']).filter(
    ({ path }) => WITHOUT_CIRCLES.test(path) && !isTest(path),
  );
  ok(all.length > 20, 'the sources were found');
  deepEqual(importCircles(all), []);
});

test('an import cycle that involves only types is detected and listed once', () => {
  const of = (name: string, text: string) => source(`packages/sdk/src/${name}.ts`, text);
  const circle = [
    of('a', `import type { B } from './b.ts';\n`),
    of('b', `export type { C } from './c.ts';\n`),
    of('c', `import { a } from './a.ts';\n`),
    of('d', `import { a } from './a.ts';\n`),
  ];
  deepEqual(importCircles(circle), [
    ['packages/sdk/src/a.ts', 'packages/sdk/src/b.ts', 'packages/sdk/src/c.ts'],
  ]);
  deepEqual(importCircles(circle.slice(1)), []);
});
