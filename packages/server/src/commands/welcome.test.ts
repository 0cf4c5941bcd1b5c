// The command printed at startup must work when pasted into a shell.
import { deepEqual, equal, match } from 'node:assert/strict';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { type Config, readConfig } from '../config.ts';
import { readyFields, welcome } from './welcome.ts';

function configOf(env: Record<string, string>): Config {
  const read = readConfig(env);
  if ('faults' in read) throw new Error(read.faults.join('\n'));
  return read.config;
}

const TOKEN = 'a-token-that-the-operator-has-set';
const DATABASE = { DATABASE_URL: 'postgres://db/x', KEYRAIL_MASTER_KEY: 'A'.repeat(43) };

for (const [what, env, token] of [
  ['that was generated', {}, '$(cat ./.keyrail/bootstrap-token)'],
  ['in a configured directory', { KEYRAIL_DATA_DIR: '/k/' }, '$(cat /k/bootstrap-token)'],
  [
    'in a directory with an unusual name',
    { KEYRAIL_DATA_DIR: "/a b's" },
    "$(cat '/a b'\\''s/bootstrap-token')",
  ],
  ['set by the operator', { KEYRAIL_BOOTSTRAP_TOKEN: TOKEN }, '$KEYRAIL_BOOTSTRAP_TOKEN'],
  ['for a PostgreSQL deployment', DATABASE, '$KEYRAIL_BOOTSTRAP_TOKEN'],
] as const) {
  test(`the welcome message refers to a bootstrap token ${what} and does not print it`, () => {
    const text = welcome('http://x', configOf(env));
    equal(/Bearer ([^"]+)"/.exec(text)?.[1], token);
    equal(text.includes(TOKEN), false);
    match(text, /http:\/\/x\/v1\/workspaces/);
    equal(text.trimEnd().split('\n').at(-1), '  Open http://x in a browser');
    match(text, /^ {2}Email {5}\S/m);
  });
}

test('the welcome message says that the port comes from the PORT variable', () => {
  const config = configOf({ PORT: '8080' });
  match(
    welcome('http://x:8080', config),
    /^ {2}Open http:\/\/x:8080 in a browser \(port set by PORT/m,
  );
  equal(readyFields('http://x:8080', config).port_from, 'PORT');
});

test('the log contains the URL and the file paths, but no command or token', () => {
  deepEqual(readyFields('http://x', configOf({ KEYRAIL_DATA_DIR: './k' })), {
    url: 'http://x',
    port_from: 'default',
    docs: 'http://x/docs',
    mail: resolve('k/mail'),
    bootstrap_token_file: resolve('k/bootstrap-token'),
  });
  for (const env of [{ KEYRAIL_BOOTSTRAP_TOKEN: TOKEN, KEYRAIL_MAIL: 'smtp://m:25' }, DATABASE]) {
    const fields = readyFields('http://x', configOf(env));
    equal('bootstrap_token_file' in fields, false);
    equal(JSON.stringify(fields).includes(TOKEN), false);
  }
});
