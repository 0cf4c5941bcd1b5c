// A server starts even if its environment contains settings for Keyrail's clients, such as the CLI
// and the SDK. The list of client settings matches the settings that the clients read.
import { deepEqual, equal } from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { clientNames } from '@keyrail/protocol/wire/setting-names.ts';
import { readConfig } from '../config.ts';

const root = join(import.meta.dirname, '../../../..');

test('client settings are ignored with a warning that shows only their names', () => {
  const env = Object.fromEntries(clientNames.map((name) => [name, 'hunter2']));
  const { warnings, ...read } = readConfig(env);
  const { warnings: none, ...expected } = readConfig({});
  deepEqual(read, expected);
  deepEqual(none, []);
  deepEqual(
    warnings.map((warning) => /[A-Z_]{8,}/.exec(warning)?.[0]),
    clientNames,
  );
  equal(warnings.join('\n').includes('hunter2'), false, 'a secret must not be printed');
});

test('a misspelt client setting is rejected like any other unknown name', () => {
  const { warnings, ...read } = readConfig({ KEYRAIL_URI: 'x', KEYRAIL_URL: 'x' });
  equal(warnings.length, 1);
  deepEqual(read, {
    faults: ['unknown setting KEYRAIL_URI; for a list, run keyrail-server help'],
  });
});

test('a name similar to a setting is rejected, and the error suggests that setting', () => {
  const misspelt = {
    KEYRAIL_PROT: 'KEYRAIL_PORT',
    KEYRAIL_DATADIR: 'KEYRAIL_DATA_DIR',
    KEYRAIL_BACKUP_EVRY: 'KEYRAIL_BACKUP_EVERY',
    KEYRAIL_DATABASE_URL: 'DATABASE_URL',
    KEYRAIL_XURL: null,
    KEYRAIL_BYTES_MAX: null,
    KEYRAIL_: null,
    [`KEYRAIL_${'PORT'.repeat(1000)}`]: null,
  };
  const read = readConfig(Object.fromEntries(Object.keys(misspelt).map((name) => [name, '1'])));
  deepEqual(
    'faults' in read && read.faults,
    Object.entries(misspelt).map(([name, meant]) => {
      const hint = meant === null ? '' : `. Did you mean ${meant}?`;
      return `unknown setting ${name}; for a list, run keyrail-server help${hint}`;
    }),
  );
});

test('the list of client settings matches what the CLI, the client, the SDK and the examples read', () => {
  const files = globSync('{packages/{cli,client,sdk}/src,examples}/**/*.ts', {
    cwd: root,
    exclude: (name) => name === 'node_modules' || name === 'dist' || name.endsWith('.test.ts'),
  });
  const found = files
    .flatMap((path) => readFileSync(join(root, path), 'utf8').match(/\bKEYRAIL_[A-Z_]+\b/g) ?? [])
    .filter((name) => !name.startsWith('KEYRAIL_TEST_'));
  deepEqual([...new Set(found)].toSorted(), clientNames.toSorted());
});
