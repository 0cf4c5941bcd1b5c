// The compiled-code cache keeps only the running program's code.
import { deepEqual, equal } from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { cacheCompiledCode } from './compiled-code.ts';

test("only other programs' compiled code is removed", (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'kr-compiled-'));
  t.after(() => rmSync(dataDir, { recursive: true, force: true }));
  const cache = join(dataDir, 'compiled');
  const own = `program-${'2'.repeat(16)}`;
  for (const name of [`program-${'1'.repeat(16)}`, own, 'v24.0.0-x64-964aae3f-0', 'theirs']) {
    mkdirSync(join(cache, name), { recursive: true });
    writeFileSync(join(cache, name, 'code'), '');
  }
  writeFileSync(join(dataDir, 'master-key'), '');

  cacheCompiledCode(dataDir, `/opt/keyrail/dist/${own}`);

  deepEqual(readdirSync(cache).toSorted(), [own, 'theirs']);
  equal(existsSync(join(cache, own, 'code')), true);
  equal(existsSync(join(dataDir, 'master-key')), true);
});

test('a missing data directory is not created', () => {
  const dataDir = join(tmpdir(), 'kr-no-such-directory');
  cacheCompiledCode(dataDir, '/opt/keyrail/dist/program-0');
  equal(existsSync(dataDir), false);
});
