import { deepEqual, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { list, source, sources } from './tree.ts';
import { wordFaults } from './word-rules.ts';

const server = 'packages/server/src';
const keys = `${server}/features/keys`;
const operation = `${keys}/rotate-key.ts`;
const migration = `${server}/db/migrations/0009_things.sql`;
const says = (path: string, text: string) => wordFaults(source(path, text)).map((one) => one.says);
const refused = (path: string, text: string) => ok(says(path, text).length > 0, `${path}: ${text}`);
const allowed = (path: string, text: string) => deepEqual(says(path, text), []);

test('the repository uses only allowed words', () => {
  const all = sources(['ts', 'tsx', 'mjs', 'sql']);
  ok(all.length > 20, 'the sources were found');
  deepEqual(list(all.flatMap(wordFaults)), []);
});

test('meaningless names are rejected, regardless of spelling', () => {
  refused(operation, 'class KeyManager {}');
  refused(operation, 'const userInfo = 1;');
  refused(operation, 'function handleRequest() {}');
  refused(operation, 'const DATA_MAX = 1;');
  refused(operation, 'function f(a: string, data: string) {}');
  refused(operation, 'const { info } = thing;');
  refused(operation, 'type Services = string[];');
  refused(`${server}/base/date-utils.ts`, '');
  refused(`${server}/helpers/dates.ts`, '');
});

test('names defined elsewhere are allowed', () => {
  allowed(operation, `process.on('exit', stop);\nlog.info('ready');\nconst a = answer.data;\n`);
  allowed(operation, `import { userInfo } from 'node:os';\nuserInfo();\n`);
  allowed(operation, 'const page = { data: rows, next: null };');
  allowed(operation, '// the common helper of a service\n');
  allowed(operation, `const text = 'misc data';`);
  allowed(operation, 'const metadata = 1; const handler = 2; const information = 3;');
});

test('the clock and randomness are injected', () => {
  refused(operation, 'const a = new Date();');
  refused(operation, 'const a = Date.now();');
  refused(operation, 'const a = Math.random();');
  allowed(operation, 'const a = new Date(0);');
  allowed(`${server}/base/clock.ts`, 'const a = new Date();');
});

test('in SQL only app_now() reads the clock', () => {
  refused(migration, 'create table a (at timestamptz default now());');
  refused(migration, 'select CURRENT_TIMESTAMP;');
  refused(migration, 'create function f() returns void as $$ select clock_timestamp(); $$;');
  allowed(migration, 'select app_now(); -- never now()\n');
  const clock = 'create function app_now() returns timestamptz as $$\n  select now();\n$$;\n';
  allowed(migration, clock);
  refused(migration, `${clock}select now();`);
  refused(`${keys}/rows.ts`, 'const a = sql`update keys set at = now()`;');
  allowed(`${keys}/rows.ts`, 'const a = sql`update keys set at = app_now()`;');
});

test('secrets are revealed only in responses and emails', () => {
  refused(operation, 'const a = secret.reveal();');
  allowed(`${keys}/present.ts`, 'const a = secret.reveal();');
  allowed(`${server}/features/mail/bodies.ts`, 'const a = token.reveal();');
  allowed(`${server}/commands/start.ts`, 'const a = databaseUrl.reveal();');
  refused(`${server}/app.ts`, 'const a = databaseUrl.reveal();');
});

test('no comment mentions unfinished work', () => {
  refused(operation, '// TODO later\n');
  refused(migration, '-- TODO later\n');
});
