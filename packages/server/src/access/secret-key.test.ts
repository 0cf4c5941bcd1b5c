// Reading a secret key: how it is looked up, when it is rejected, and how its use is recorded.
import { deepEqual, equal, rejects } from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { lookupHash, mintCredential } from '@keyrail/protocol/wire/key-format.ts';
import { openLog } from '../base/log.ts';
import type { SecretKeyFact } from './gate.rows.ts';
import { createSecretKeyReader } from './secret-key.ts';

const log = openLog('silent', process.stderr);
const newToken = () => mintCredential('secret_key', 'live', randomBytes).secret;

const factOf = (token: string, more: Partial<SecretKeyFact> = {}): SecretKeyFact => ({
  id: token.slice(-8),
  workspaceId: 'w',
  env: 'live',
  authority: 'owner',
  active: true,
  isQuarantined: false,
  expiresInMs: null,
  useIsStale: false,
  permissions: null,
  projectIds: null,
  networks: null,
  ...more,
});

/**
 * A reader that finds only these keys. Recording a use does not finish until the test resolves
 * `noting`.
 */
function gateWith(facts: Map<string, SecretKeyFact>) {
  const asked: string[] = [];
  const noting = Promise.withResolvers<void>();
  const noted: string[] = [];
  const read = createSecretKeyReader({
    log,
    lookups: {
      findSecretKey: async (hash) => {
        asked.push(hash);
        return facts.get(hash) ?? null;
      },
      noteUse: ({ id }) => {
        noted.push(id);
        return noting.promise;
      },
    },
  });
  return { read, asked, noted, noting };
}

test('a key acts in its own workspace and environments, with its own role', async () => {
  const token = newToken();
  for (const [env, envs] of [
    ['live', ['live', 'test']],
    ['test', ['test']],
  ] as const) {
    const fact = factOf(token, {
      env,
      authority: 'admin',
      expiresInMs: 300,
      isQuarantined: env === 'test',
    });
    const { read } = gateWith(new Map([[lookupHash(token), fact]]));
    const actor = { type: 'secret_key', id: fact.id };
    deepEqual(await read(token), {
      id: fact.id,
      principal: {
        kind: 'secret_key',
        env,
        isQuarantined: env === 'test',
        isAllowedFrom: null,
        reach: { workspaceId: 'w', envs, actor, authority: 'admin' },
      },
      expiresInMs: 300,
    });
  }
});

test("recording one key's use does not delay other keys", async () => {
  const slow = newToken();
  const quick = newToken();
  const facts = new Map([
    [lookupHash(slow), factOf(slow, { useIsStale: true })],
    [lookupHash(quick), factOf(quick)],
  ]);
  const { read, asked, noted, noting } = gateWith(facts);
  let isRead = false;
  const slowly = read(slow).finally(() => {
    isRead = true;
  });
  equal((await read(quick)).id, quick.slice(-8));
  deepEqual([asked.length, noted.length, isRead], [2, 1, false]);
  noting.resolve();
  equal((await slowly).id, slow.slice(-8));
});

test('a key is accepted even if its use cannot be recorded', async () => {
  const token = newToken();
  const facts = new Map([[lookupHash(token), factOf(token, { useIsStale: true })]]);
  const { read, noting } = gateWith(facts);
  const reading = read(token);
  setImmediate(() => setImmediate(() => noting.reject(new Error('the database is down'))));
  equal((await reading).id, token.slice(-8));
});

test('expired and unknown keys are rejected without recording a use, and mistyped keys without a lookup', async () => {
  const good = newToken();
  const ended = newToken();
  const unknown = newToken();
  const facts = new Map([
    [lookupHash(good), factOf(good, { useIsStale: true })],
    [lookupHash(ended), factOf(ended, { active: false, useIsStale: true })],
  ]);
  const { read, asked, noted, noting } = gateWith(facts);
  noting.resolve();
  for (const token of [ended, unknown, `${good.slice(0, -1)}x`]) {
    await rejects(read(token), { code: 'invalid_key' });
  }
  deepEqual([asked, noted], [[lookupHash(ended), lookupHash(unknown)], []]);
  await read(good);
  deepEqual(noted, [good.slice(-8)]);
});
