// Checks the Dockerfile and .dockerignore against the files in the clone. image.test.ts actually
// builds the image.
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { root } from '@keyrail/testing/documents.ts';
import { copiedInto, copies, dockerfile, isIgnored } from './image-files.ts';

const BUILD = 0;
const PLACE = '/opt/keyrail/';

const read = (path: string): string => readFileSync(join(root, path), 'utf8');

test('everything that the image copies is in the clone and is not excluded from the build', () => {
  const outside = copies().filter(({ fromStage }) => !fromStage);
  ok(outside.length >= 4, 'the instructions were found');
  for (const { sources } of outside) {
    for (const path of sources) {
      ok(existsSync(join(root, path)), path);
      equal(isIgnored(path), false, path);
    }
  }
  const built = [...copiedInto(BUILD), 'node_modules/', 'packages/dashboard/dist/'];
  for (const { sources } of copies().filter(({ fromStage }) => fromStage)) {
    for (const source of sources) {
      ok(source.startsWith(PLACE), source);
      const path = `${source.slice(PLACE.length)}/`;
      ok(
        built.some((one) => `${one}/`.startsWith(path)),
        source,
      );
    }
  }
});

test('the build steps need nothing that .dockerignore leaves out', () => {
  const run = dockerfile().find(({ name, stage }) => name === 'RUN' && stage === BUILD)?.rest ?? '';
  const [, script = ''] = /node (scripts\/\S+)/.exec(run) ?? [];
  match(read('docs/deploy.md'), new RegExp(`npm ci --omit=dev\nnode ${script}`));
  const lock: { packages: Record<string, unknown> } = JSON.parse(read('package-lock.json'));
  const workspaces = Object.keys(lock.packages).filter((path) => /^packages\/[^/]+$/.test(path));
  ok(workspaces.length >= 10);
  const needed = [
    'package.json',
    'package-lock.json',
    '.npmrc',
    'tsconfig.json',
    script,
    ...workspaces.map((path) => `${path}/package.json`),
    ...[...read(script).matchAll(/from '\.\/([\w-]+\.mjs)'/g)].map(([, name]) => `scripts/${name}`),
    ...globSync(
      'packages/{dashboard,widget,client,protocol,reference,server}/{src,bin,assets}/**',
      {
        cwd: root,
        withFileTypes: true,
      },
    )
      .filter((entry) => entry.isFile() && !entry.name.endsWith('.test.ts'))
      .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1)),
  ];
  const present = new Set(copiedInto(BUILD));
  ok(needed.length > 300);
  deepEqual(
    needed.filter((path) => !present.has(path)),
    [],
  );
});

test('everything else, including secrets and Git history, is left out of the build', () => {
  const paths = ['.git/config', '.env', 'deploy/compose/.env', '.keyrail/master-key', 'docs/a.md'];
  const inside = [
    'packages/server/.keyrail/master-key',
    'packages/sdk/dist/a',
    'packages/a/a.test.ts',
  ];
  for (const path of [...paths, ...inside, 'node_modules/zod/a.js'])
    equal(isIgnored(path), true, path);
  equal(isIgnored('a/b/c.log', '*\n!a\n**/*.log'), true);
  equal(isIgnored('a/b/c.txt', '*\n!a\n**/*.log'), false);
});
