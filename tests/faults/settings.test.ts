// If several settings are wrong, startup reports all of them together, without printing secrets.
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { readdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { dataDirectory, emptyDirectory } from '@keyrail/testing/processes/homes.ts';
import { runServer } from '@keyrail/testing/processes/server.ts';

const wrong = {
  KEYRAIL_PORT: '70000',
  KEYRAIL_PUBLIC_URL: 'keyrail.example.com/path',
  DATABASE_URL: 'mysql://root:hunter2@localhost/keyrail',
  KEYRAIL_DATABASE_CONNECTIONS: '0',
  KEYRAIL_BOOTSTRAP_TOKEN: 'too-short-canary',
  KEYRAIL_MASTER_KEY: 'bm90IDMyIGJ5dGVz',
  KEYRAIL_TRUST_PROXY: '10.0.0.1,banana',
  KEYRAIL_LOG_LEVEL: 'loud',
};

test('all wrong settings are reported together, and no secret is printed', async () => {
  const { code, output } = await runServer(['start'], wrong);
  equal(code, 1);
  for (const name of Object.keys(wrong)) match(output, new RegExp(`^ {2}- ${name} `, 'm'));
  equal(output.match(/^ {2}- /gm)?.length, Object.keys(wrong).length, output);
  for (const secret of ['hunter2', 'too-short-canary', 'bm90IDMyIGJ5dGVz']) {
    ok(!output.includes(secret), output);
  }
});

test('a misspelt setting is an error, and a setting meant for clients is ignored', async () => {
  const { code, output } = await runServer(['start'], {
    KEYRAIL_PROT: '4400',
    KEYRAIL_DATADIR: '.',
    KEYRAIL_URL: 'http://127.0.0.1:4400',
  });
  equal(code, 1);
  match(output, /unknown setting KEYRAIL_PROT/);
  match(output, /unknown setting KEYRAIL_DATADIR/);
  match(output, /^keyrail-server: ignoring KEYRAIL_URL/m);
});

test('on PostgreSQL, a start without a master key fails before anything is opened', async () => {
  const { code, output } = await runServer(['start'], { DATABASE_URL: 'postgres://127.0.0.1:1/x' });
  equal(code, 1);
  match(output, /KEYRAIL_MASTER_KEY is required with DATABASE_URL/);
});

test('an unknown command prints the list of commands', async () => {
  const { code, output } = await runServer(['begin'], {});
  equal(code, 2);
  match(output, /unknown command "begin"/);
  match(output, /^ {2}start .*migrate/m);
  match(output, /^ {2}KEYRAIL_PORT /m);
});

test('if its port is in use, the server prints a reason and exits with code 1', async (t) => {
  const home = await dataDirectory();
  const taken = createServer().listen(0, '127.0.0.1');
  t.after(async () => {
    taken.close();
    await home.close();
  });
  await new Promise((resolve) => taken.once('listening', resolve));
  const address = taken.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const settings = { ...home.settings, KEYRAIL_PORT: String(port) };
  const { code, output } = await runServer(['start'], settings);
  equal(code, 1);
  match(output, /EADDRINUSE/);
  match(output, /KEYRAIL_PORT/, 'names the setting to change');
});

test('if PostgreSQL is unreachable, the server prints a reason and exits with code 1', async () => {
  const { code, output } = await runServer(['start'], {
    DATABASE_URL: 'postgres://keyrail@127.0.0.1:1/keyrail',
    KEYRAIL_MASTER_KEY: Buffer.alloc(32).toString('base64'),
  });
  equal(code, 1);
  match(output, /keyrail-server: .*DATABASE_URL.*ECONNREFUSED/);
});

test('a start that fails after it has opened the store prints a reason and exits with code 1', async (t) => {
  const home = await dataDirectory();
  t.after(home.close);
  await writeFile(join(home.path, 'master-key'), '');
  const { code, output } = await runServer(['start'], { ...home.settings, KEYRAIL_PORT: '0' });
  match(output, /master-key is empty/);
  equal(code, 1);
});

test('an error about an unusable data directory names the setting', async (t) => {
  const home = await emptyDirectory();
  t.after(home.close);
  const file = join(home.path, 'file');
  await writeFile(file, '');
  const { code, output } = await runServer(['start'], { KEYRAIL_DATA_DIR: file });
  equal(code, 1);
  match(output, /keyrail-server: .*KEYRAIL_DATA_DIR/);
});

test('a damaged embedded database is reported, and the message says what to do', async (t) => {
  const home = await dataDirectory();
  t.after(home.close);
  await writeFile(join(home.path, 'database/global/pg_control'), 'x');
  const { code, output } = await runServer(['migrate'], home.settings);
  equal(code, 1);
  match(output, /keyrail-server: Cannot open the embedded database.*backup/);
});

test('a command rejects unknown arguments, and --help only prints its help', async (t) => {
  const home = await emptyDirectory();
  t.after(home.close);
  for (const [words, wanted] of [
    [['migrate', '--help'], 0],
    [['start', '-h'], 0],
    [['migrate', 'now'], 2],
  ] as const) {
    const { code, output } = await runServer([...words], home.settings);
    equal(code, wanted, output);
    match(output, /^ {2}migrate {2,}migrate/m);
  }
  deepEqual(await readdir(home.path), [], 'no file was created');
});

test('each setting is separated from its description in the help text', async () => {
  const { output } = await runServer(['help'], {});
  const names = output.match(/^ {2}((?:KEYRAIL|OTEL)_\w+|DATABASE_URL|REDIS_URL)/gm) ?? [];
  equal(output.match(/^ {2}[A-Z_]+ {2,}\S/gm)?.length, names.length);
});
