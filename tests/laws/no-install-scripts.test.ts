// Installing dependencies runs no downloaded code, and none of our code depends on install scripts.
import { deepEqual, ok } from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const root = join(import.meta.dirname, '..', '..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

type Lock = { packages: Record<string, { hasInstallScript?: boolean }> };

test('npm never runs install scripts in this repository', () => {
  ok(read('.npmrc').split('\n').includes('ignore-scripts=true'));
  ok(read('scripts/setup-install.mjs').includes("'--ignore-scripts'"));
});

test('every package with an install script is listed, along with what happens if the script is skipped', () => {
  const { packages }: Lock = JSON.parse(read('package-lock.json'));
  const scripted = Object.entries(packages)
    .filter(([, { hasInstallScript }]) => hasInstallScript)
    .map(([path]) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length));
  const [, table = ''] = read('docs/dependencies.md').split('| Its install script |');
  const listed = [...(table.split('\n\n')[0] ?? '').matchAll(/^\| ([\w@/-]+) \|/gm)].map(
    ([, name]) => name,
  );
  deepEqual(listed.toSorted(), [...new Set(scripted)].toSorted());
});

test('no script in this repository has a name that npm would skip', () => {
  for (const path of ['package.json', ...globSync('packages/*/package.json', { cwd: root })]) {
    const { scripts = {} }: { scripts?: Record<string, string> } = JSON.parse(read(path));
    const names = Object.keys(scripts);
    const skipped = names.filter((name) => /^(pre|post)/.test(name) || name === 'install');
    deepEqual(skipped, [], path);
  }
});
