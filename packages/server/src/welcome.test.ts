// The command that a fresh start prints must work when it is pasted into a shell.
import { equal, match } from 'node:assert/strict';
import { test } from 'node:test';
import { type Config, readConfig } from './config.ts';
import { tryIt, welcome } from './welcome.ts';

function configOf(env: Record<string, string>): Config {
  const read = readConfig(env);
  if ('faults' in read) throw new Error(read.faults.join('\n'));
  return read.config;
}

const TOKEN = 'a-token-that-the-operator-has-set';
const DATABASE = { DATABASE_URL: 'postgres://db/x', KEYRAIL_MASTER_KEY: 'A'.repeat(43) };

for (const [what, env, token] of [
  ['that is generated', {}, '$(cat ./.keyrail/bootstrap-token)'],
  ['in another directory', { KEYRAIL_DATA_DIR: '/k/' }, '$(cat /k/bootstrap-token)'],
  ['in an odd directory', { KEYRAIL_DATA_DIR: "/a b's" }, "$(cat '/a b'\\''s/bootstrap-token')"],
  ['set by the operator', { KEYRAIL_BOOTSTRAP_TOKEN: TOKEN }, '$KEYRAIL_BOOTSTRAP_TOKEN'],
  ['with PostgreSQL', DATABASE, '$KEYRAIL_BOOTSTRAP_TOKEN'],
] as const) {
  test(`the welcome refers to a bootstrap token ${what} and does not print it`, () => {
    const config = configOf(env);
    for (const text of [tryIt('http://x', config).try ?? '', welcome('http://x', config)]) {
      equal(/Bearer ([^"]+)"/.exec(text)?.[1], token);
      equal(text.includes(TOKEN), false);
      match(text, /http:\/\/x\/v1\/workspaces/);
    }
  });
}
