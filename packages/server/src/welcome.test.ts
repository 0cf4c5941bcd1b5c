// What a fresh start tells to try must work as it stands.
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
  ['made by itself', {}, '$(cat ./.keyrail/bootstrap-token)'],
  ['in another directory', { KEYRAIL_DATA_DIR: '/k/' }, '$(cat /k/bootstrap-token)'],
  ['in an odd directory', { KEYRAIL_DATA_DIR: "/a b's" }, "$(cat '/a b'\\''s/bootstrap-token')"],
  ['set by the operator', { KEYRAIL_BOOTSTRAP_TOKEN: TOKEN }, '$KEYRAIL_BOOTSTRAP_TOKEN'],
  ['beside PostgreSQL', DATABASE, '$KEYRAIL_BOOTSTRAP_TOKEN'],
] as const) {
  test(`a bootstrap token ${what} is taken from where it is, and never printed`, () => {
    const config = configOf(env);
    for (const told of [tryIt('http://x', config).try ?? '', welcome('http://x', config)]) {
      equal(/Bearer ([^"]+)"/.exec(told)?.[1], token);
      equal(told.includes(TOKEN), false);
      match(told, /http:\/\/x\/v1\/workspaces/);
    }
  });
}
