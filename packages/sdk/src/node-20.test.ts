// The built package as a vendor would use it: as ESM and CommonJS, on the oldest supported Node.js
// and on the one that runs the tests, with its type declarations in the vendor's TypeScript.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { builtinModules } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';

const run = promisify(execFile);
const home = join(import.meta.dirname, '..');
const modules = join(home, '..', '..', 'node_modules');
const CONSUMERS = ['consumer.mts', 'consumer.cts', 'consumer-nest.mts'];
const FILES = ['smoke.cjs', 'smoke.mjs', 'consumer-frameworks.mts', ...CONSUMERS];

let folder = '';
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keyrail-sdk-'));
  const place = join(folder, 'node_modules', '@keyrail', 'sdk');
  await mkdir(place, { recursive: true });
  await cp(join(home, 'dist'), join(place, 'dist'), { recursive: true });
  await cp(join(home, 'package.json'), join(place, 'package.json'));
  for (const name of FILES) await cp(join(home, 'test', name), join(folder, name));
  for (const name of ['@types', 'undici-types', 'fastify', 'hono']) {
    await symlink(join(modules, name), join(folder, 'node_modules', name));
  }
});
after(() => rm(folder, { recursive: true, force: true }));

async function findNode20(): Promise<string | null> {
  const places = [process.env.KEYRAIL_TEST_NODE20, '/usr/local/bin/node', '/usr/bin/node'];
  for (const path of places) {
    if (!path) continue;
    const { stdout } = await run(path, ['--version']).catch(() => ({ stdout: '' }));
    if (stdout.startsWith('v20.')) return path;
  }
  return null;
}

const saidBy = async (node: string, file: string) => {
  const { stdout } = await run(node, [join(folder, file), join(folder, 'cache')]);
  return JSON.parse(stdout);
};

const expected = (major: number) => ({
  major,
  before: [true, 'insufficient_scope'],
  others: ['expired', 'malformed_key', 'missing_key'],
  admitted: 'admitted',
  large: 413,
  after: 'unknown_key',
  refused: 'TypeError',
});

for (const file of ['smoke.cjs', 'smoke.mjs']) {
  test(`the built package works on the Node.js version that runs the tests: ${file}`, async () => {
    const major = Number(process.versions.node.split('.')[0]);
    deepEqual(await saidBy(process.execPath, file), expected(major));
  });

  test(`the built package works on Node.js 20: ${file}`, async (t) => {
    const node = await findNode20();
    if (node === null) return t.skip('no Node 20 on this machine: set KEYRAIL_TEST_NODE20');
    deepEqual(await saidBy(node, file), expected(20));
  });
}

test('the built package has every entry point, and imports nothing but Node.js modules', async () => {
  const place = join(folder, 'node_modules', '@keyrail', 'sdk');
  const { exports } = JSON.parse(await readFile(join(place, 'package.json'), 'utf8'));
  for (const paths of Object.values<Record<string, string>>(exports)) {
    for (const path of [paths.import ?? '', paths.require ?? '']) {
      const code = await readFile(join(place, path), 'utf8');
      ok(code.length > 0, path);
      await readFile(join(place, path.replace(/\.js$/, '.d.ts')), 'utf8');
    }
  }
  const files = (await readdir(join(place, 'dist'), { recursive: true })).filter((name) =>
    name.endsWith('.js'),
  );
  for (const file of files) {
    const code = await readFile(join(place, 'dist', file), 'utf8');
    const foreign = [...code.matchAll(/(?:from|import|require\()\s*["']([^"'.][^"']*)["']/g)]
      .map(([, specifier = '']) => specifier)
      .filter((specifier) => !builtinModules.includes(specifier.replace(/^node:/, '')));
    deepEqual(foreign, [], file);
  }
});

/** Returns the errors from a vendor's compiler; empty if everything compiles. */
async function compiled(files: readonly string[], more: object = {}): Promise<string> {
  const compilerOptions = {
    module: 'nodenext',
    target: 'es2022',
    strict: true,
    noEmit: true,
    types: ['node'],
    exactOptionalPropertyTypes: true,
    ...more,
  };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
  const ended = await run(join(modules, '.bin', 'tsc'), ['-p', folder]).catch((error) => error);
  return ended.stdout;
}

test('the type declarations work in TypeScript, as ESM and as CommonJS', async () => {
  equal(await compiled(CONSUMERS), '');
});

test('the type declarations need no Node.js types', async () => {
  const browser = { types: [], module: 'preserve', lib: ['es2022', 'dom', 'dom.iterable'] };
  equal(await compiled(['consumer.mts'], browser), '');
});

test("`protect` changes only the type of a handler's context", async () => {
  equal(await compiled(['consumer-frameworks.mts'], { skipLibCheck: true }), '');
});
