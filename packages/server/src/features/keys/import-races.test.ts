// Concurrent imports of the same keys: each key is imported once, and later imports get a 409.
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { lookupHash } from '@keyrail/protocol/wire/key-format.ts';
import { type Harness, harness, refused } from '@keyrail/testing/harness.ts';
import { foreignKey, importedKey, importOne } from '@keyrail/testing/imports.ts';
import { hold } from '@keyrail/testing/operations.ts';
import { storeName } from '@keyrail/testing/test-app.ts';
import { unchanged } from '../../doors/door.ts';
import { createKey } from './create-key.ts';
import { importKeys } from './import-keys.ts';

const line = 'POST /v1/keys/import';
const AT_ONCE = 8;
const PAUSE_MS = 150;
const oneConnection = storeName === 'embedded' && 'the embedded store has only one connection';
const terms = { name: null, scopes: [], meta: {}, rateLimits: null, expiresAt: null };

async function place({ given }: Harness) {
  return { projectId: (await given.project()).id, tenantId: (await given.tenant()).id };
}

/** Returns whether a call is still pending after PAUSE_MS. */
const isWaiting = (call: Promise<unknown>): Promise<boolean> =>
  Promise.race([sleep(PAUSE_MS, true), call.then(() => false).catch(() => false)]);

test('only one of several concurrent imports of the same keys succeeds in each workspace', async (t) => {
  const first = await harness(t);
  const second = await harness(t);
  const texts = Array.from({ length: 50 }, foreignKey);
  const places: { app: Harness; projectId: string; tenantId: string }[] = [];
  for (let turn = 0; turn < AT_ONCE; turn += 1) {
    const app = turn % 2 === 0 ? first : second;
    places.push({ app, ...(await place(app)) });
  }
  const calls = places.map(({ app, projectId: project_id, tenantId: tenant_id }, turn) => {
    const ordered = turn % 3 === 0 ? texts : texts.toReversed();
    const keys = ordered.map((text) => importedKey(text, { tenant_id }));
    const headers = { authorization: `Bearer ${app.tokens.liveKey}` };
    return app.ask(line, { project_id, env: 'live', keys }, headers);
  });
  const answers = await Promise.all(calls);
  const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b);
  deepEqual(statuses, [201, 201, ...Array.from({ length: AT_ONCE - 2 }, () => 409)]);
  const known = answers.filter(({ status }) => status === 409);
  for (const { body } of known) equal(Object(body.error).details.length, texts.length);
  const totals = await Promise.all(
    [first, second].map(
      async ({ as }) => (await as.liveKey('GET /v1/keys', { limit: 200 })).data.length,
    ),
  );
  deepEqual(totals, [texts.length, texts.length]);
});

for (const isKept of [true, false]) {
  test(`an import waits until the creation of a key with the same hash is ${isKept ? 'committed' : 'rolled back'}`, {
    skip: oneConnection,
  }, async (t) => {
    const app = await harness(t);
    const at = await place(app);
    let text = '';
    const making = await hold(app, async (tx) => {
      const made = await createKey(tx, { ...terms, ...at, env: 'live' });
      const minted = made.result;
      text = minted.secret.reveal();
      return isKept ? made : unchanged(minted);
    });
    const importing = importOne(app, { text, display_prefix: 'other' });
    equal(await isWaiting(importing), true);
    await making.letGo();
    if (isKept) await refused(importing, 409, 'conflict');
    else equal((await importing).key.imported, true);
  });
}

test('deleting a tenant waits for a running import of its keys, and then revokes them', {
  skip: oneConnection,
}, async (t) => {
  const app = await harness(t);
  const { projectId, tenantId } = await place(app);
  const key = { ...terms, tenantId, lookupHash: lookupHash(foreignKey()), displayPrefix: 'sk' };
  const importing = await hold(app, (tx) =>
    importKeys(tx, { projectId, env: 'live', keys: [key] }),
  );
  const deleting = app.as.liveKey('DELETE /v1/tenants/{id}', { id: tenantId });
  equal(await isWaiting(deleting), true);
  await importing.letGo();
  equal((await deleting).revoked_keys, 1);
});
