// The cache of compiled code keeps that of the running program alone.
import { deepEqual, equal } from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { cacheCompiledCode } from './compiled-code.ts';

test('compiled code of other programs is removed, and nothing else', (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'kr-compiled-'));
  t.after(() => rmSync(dataDir, { recursive: true, force: true }));
  const cache = join(dataDir, 'compiled');
  for (const name of ['program-one', 'program-two', 'v24.0.0-x64']) {
    mkdirSync(join(cache, name), { recursive: true });
    writeFileSync(join(cache, name, 'code'), '');
  }
  writeFileSync(join(dataDir, 'master-key'), '');

  cacheCompiledCode(dataDir, '/opt/keyrail/dist/program-two');

  deepEqual(readdirSync(cache), ['program-two']);
  equal(existsSync(join(cache, 'program-two/code')), true);
  equal(existsSync(join(dataDir, 'master-key')), true);
});

test('a data directory that does not exist is not created', () => {
  const dataDir = join(tmpdir(), 'kr-no-such-directory');
  cacheCompiledCode(dataDir);
  equal(existsSync(dataDir), false);
});
