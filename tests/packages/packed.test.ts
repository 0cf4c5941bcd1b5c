// What the published packages contain.
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { readFile, rm } from 'node:fs/promises';
import { builtinModules } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import {
  type Name,
  names,
  type Packed,
  pack,
  root,
  temporaryFolder,
} from '../../scripts/packing.ts';

const packed = new Map<Name, Packed>();
let folder = '';
after(() => rm(folder, { recursive: true, force: true }));
before(async () => {
  folder = await temporaryFolder();
  for (const one of await pack(names, folder)) packed.set(one.name, one);
});

const filesOf = (name: Name): string[] => packed.get(name)?.files ?? [];
const read = (name: Name, path: string) => readFile(join(root, 'packages', name, path), 'utf8');
const manifestOf = async (name: Name) => JSON.parse(await read(name, 'package.json'));

/** Lists every path that a manifest refers to, except those that only apply in the clone. */
function targetsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value.replace(/^\.\//, '')];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, one]) =>
    key === 'keyrail-source' ? [] : targetsIn(one),
  );
}

test('a package contains its build, its README, its manifest, and nothing else', () => {
  for (const name of names) {
    const files = filesOf(name);
    ok(files.includes('README.md') && files.includes('package.json'), name);
    const others = files.filter(
      (path) =>
        !/^(README\.md|package\.json|bin\/|dist\/)/.test(path) || /made-from|test/.test(path),
    );
    // The SDK also has an entry point for its users' tests.
    deepEqual(
      others.filter((path) => !/^dist\/(esm|cjs|src\/sdk\/src)\/testing(\/|\.)/.test(path)),
      [],
      name,
    );
  }
});

test('a package contains everything that its manifest refers to', async () => {
  for (const name of names) {
    const { exports, bin, main, types, typesVersions, dependencies } = await manifestOf(name);
    const targets = targetsIn([exports, bin, main, types, typesVersions].filter(Boolean));
    ok(targets.length > 0, name);
    deepEqual(
      targets.filter((path) => !filesOf(name).includes(path)),
      [],
      name,
    );
    equal(dependencies, undefined, `${name} has no dependency at run time`);
  }
});

test('every entry point has declarations, for both old and new module resolution', async () => {
  for (const name of ['sdk', 'client'] as const) {
    const { exports, types, typesVersions } = await manifestOf(name);
    for (const [entry, paths] of Object.entries<Record<string, string>>(exports)) {
      for (const path of [paths.import ?? '', paths.require ?? '']) {
        ok(filesOf(name).includes(path.replace('./', '').replace(/\.js$/, '.d.ts')), path);
      }
      const declared = paths.require?.replace(/\.js$/, '.d.ts');
      const old = entry === '.' ? types : typesVersions['*'][entry.slice(2)]?.[0];
      equal(old, declared, `${name} ${entry} for resolution node10`);
    }
  }
});

const IMPORT = /(?<![.\w])(?:from|import|require)\s*\(?\s*["']([\w@][\w@:/.-]*)["']/g;
const IMPORT_ANY = /(?<![.\w])(?:from|import|require)\s*\(?\s*["']([^"']+)["']/g;
const FRAMEWORKS = /^(express|fastify|hono|koa|next|@nestjs\/|react$)/;

/** Leaves out Preact's sources, which only source maps refer to. */
const isCode = (path: string) => /^(?!dist\/src\/).*\.(js|d\.ts)$/.test(path);

test('code imports only Node.js modules, and declarations import only frameworks', async () => {
  for (const name of names) {
    for (const path of filesOf(name).filter(isCode)) {
      const isOther = (specifier: string) =>
        !builtinModules.includes(specifier.replace(/^node:/, '')) &&
        !(path.endsWith('.d.ts') && FRAMEWORKS.test(specifier)) &&
        // The React widget uses the React of the page it is on.
        !(path === 'dist/esm/react.js' && specifier === 'react');
      const specifiers = Array.from(
        (await read(name, path)).matchAll(IMPORT),
        ([, one = '']) => one,
      );
      deepEqual(specifiers.filter(isOther), [], `${name}/${path}`);
    }
  }
});

test('every package says what it is for and which Node.js versions it supports', async () => {
  for (const name of names) {
    const { keywords, engines, description } = await manifestOf(name);
    ok(keywords.includes('api-keys') && description.length > 20, name);
    deepEqual(engines, { node: '>=20' }, name);
  }
});

test('source maps refer to sources that are in the package', async () => {
  for (const name of names) {
    const files = new Set(filesOf(name));
    const code = [...files].filter((path) => isCode(path) && /^dist\/.*\.js$/.test(path));
    ok(code.length > 0, name);
    for (const path of code) {
      const text = await read(name, path);
      const [, map = ''] = /\n\/\/# sourceMappingURL=(.+)\n$/.exec(text) ?? [];
      equal(map, basename(`${path}.map`));
      const { sources, sourcesContent } = JSON.parse(await read(name, `${path}.map`));
      equal(sourcesContent, undefined, 'sources are not repeated in each map');
      const named = sources.map((source: string) => join(dirname(path), source));
      deepEqual(
        named.filter((source: string) => !files.has(source)),
        [],
        `${name}/${path}`,
      );
    }
  }
});

test('the widget has declarations for each entry point, as ESM only', async () => {
  const { exports, types, typesVersions } = await manifestOf('widget');
  deepEqual(Object.keys(exports), ['.', './react']);
  const declared = [types, typesVersions['*'].react[0]];
  for (const [at, paths] of Object.values<Record<string, string>>(exports).entries()) {
    // The exports use the `default` condition alone, so that Node.js 22 and later can also
    // `require` the ES module.
    equal(paths.default?.replace(/\.js$/, '.d.ts'), declared[at]);
    deepEqual([paths.import, paths.require], [undefined, undefined]);
    ok(filesOf('widget').includes(String(declared[at]).replace('./', '')), declared[at]);
  }
});

test('SDK code that an edge runtime loads imports no Node.js modules', async () => {
  const entries = ['edge-light', 'adapters/web', 'adapters/hono', 'adapters/next'];
  const waiting = entries.map((entry) => `dist/esm/${entry}.js`);
  const seen = new Set<string>(waiting);
  for (const path of waiting) {
    for (const [, specifier = ''] of (await read('sdk', path)).matchAll(IMPORT_ANY)) {
      ok(specifier.startsWith('.'), `${path} imports ${specifier}`);
      const target = join(dirname(path), specifier);
      if (!seen.has(target)) waiting.push(target);
      seen.add(target);
    }
  }
  ok(seen.size > entries.length, 'the imports were followed');
});

test('the client uses only what browsers provide', async () => {
  const code = await read('client', 'dist/esm/index.js');
  equal(/\bprocess\b|\bBuffer\b|\brequire\b|\bglobal\b|\b__dirname\b|node:/.test(code), false);
});

test('each client method has a description that editors show', async () => {
  const methods = await read('client', 'dist/esm/protocol/wire/methods.d.ts');
  match(
    methods,
    /\* Replace an API key without downtime\.\n[^/]*`POST \/v1\/keys\/\{id\}\/rotate`/,
  );
});
