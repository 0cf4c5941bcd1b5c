import { deepEqual, ok } from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { list, source, sources } from './tree.ts';
import { entryPoints, unusedExports } from './unused-exports.ts';

const root = join(import.meta.dirname, '..', '..');
const PLACES = '{packages,tests,lab,scripts,bench,examples}';

test('every export of a package is imported by another file', () => {
  const all = sources(['ts', 'tsx', 'mts', 'cts', 'mjs'], PLACES);
  ok(all.length > 20, 'the sources were found');
  deepEqual(list(unusedExports(all, entryPoints(root))), []);
});

const says = (...files: [path: string, text: string][]) =>
  unusedExports(
    files.map(([path, text]) => source(path, text)),
    new Set(['packages/sdk/src/index.ts']),
  ).map((fault) => fault.says);

const one = 'packages/server/src/base/one.ts';
const two = 'packages/server/src/base/two.ts';

test('an import, a re-export and a namespace import all count as using an export', () => {
  const exporting: [string, string] = [one, 'export const a = 1;\nexport type B = 2;\n'];
  deepEqual(says(exporting), ['no other file imports a', 'no other file imports B']);
  deepEqual(says(exporting, [two, "import { a, type B } from './one.ts';"]), []);
  deepEqual(says(exporting, [two, "import * as all from './one.ts';"]), []);
  deepEqual(says(exporting, [two, "await import('./one.ts');"]), []);
  const any = `const load = (name) => import(\`../\${name}/one.ts\`);`;
  deepEqual(says(exporting, ['packages/server/src/http/any.ts', any]), []);
  deepEqual(says(exporting, ['packages/server/src/any.ts', any]).length, 2);
  const far = "import { a as c, type B } from '@keyrail/server/base/one.ts';";
  deepEqual(says(exporting, ['bench/three.ts', far]), []);
  const index = "export { a } from '../../server/src/base/one.ts';";
  deepEqual(says(exporting, ['packages/sdk/src/index.ts', index]), ['no other file imports B']);
});

test('tests count as importers, except for limits in protocol/wire', () => {
  const inTest = "import { LIMIT_MAX } from './one.ts';";
  const server: [string, string] = [one, 'export const LIMIT_MAX = 1;'];
  deepEqual(says(server, ['packages/server/src/base/one.test.ts', inTest]), []);
  const wire = 'packages/protocol/src/wire';
  const limit: [string, string] = [`${wire}/one.ts`, 'export const LIMIT_MAX = 1;'];
  deepEqual(says(limit, [`${wire}/one.test.ts`, inTest]), ['no other file imports LIMIT_MAX']);
});
