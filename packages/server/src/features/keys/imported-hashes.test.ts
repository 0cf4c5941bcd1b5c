// Hashes of imported keys: a workspace can't block another workspace's imports, and every key with
// the same hash as a leaked credential is quarantined.
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { type Harness, harness, refused } from '@keyrail/testing/harness.ts';
import { foreignKey, importedKey, importOne } from '@keyrail/testing/imports.ts';
import { someone } from '@keyrail/testing/people.ts';

const line = 'POST /v1/keys/import';
const scan = 'POST /v1/webhooks/scanner/secret_scanning';

async function place({ given }: Harness) {
  return { project_id: (await given.project()).id, tenant_id: (await given.tenant()).id };
}

const report = ({ as }: Harness, ...tokens: string[]) =>
  as.scanner(scan, { reports: tokens.map((token) => ({ token, type: 'key', url: null })) });

const quarantinedAt = async ({ as }: Harness, id: string) =>
  (await as.liveKey('GET /v1/keys/{id}', { id })).quarantined_at;

test('a hash that one workspace has imported can also be imported by another workspace', async (t) => {
  const attacker = await harness(t);
  const victim = await harness(t);
  const texts = Array.from({ length: 20 }, foreignKey);
  const stolen = await importOne(attacker, { text: String(texts[7]) });
  const at = await place(victim);
  const keys = texts.map((text) => importedKey(text, { tenant_id: at.tenant_id }));
  const wanted = { project_id: at.project_id, env: 'live', keys };
  const { data } = await victim.as.liveKey(line, wanted);
  equal(data.length, 20);
  await attacker.as.liveKey('POST /v1/keys/{id}/revoke', { id: stolen.key.id });
  const own = data[7];
  const { verdict } = await victim.as.liveKey('POST /v1/keys/explain', {
    key: texts[7],
    project_id: at.project_id,
  });
  deepEqual([verdict, own?.revoked_at], ['allowed', null], 'the keys are not connected');
});

test('within a workspace, a hash is unique across native, imported and revoked keys', async (t) => {
  const app = await harness(t);
  const native = await app.given.key();
  const revoked = await importOne(app);
  await app.as.liveKey('POST /v1/keys/{id}/revoke', { id: revoked.key.id });
  const secret = await app.as.liveKey('POST /v1/secret_keys', { env: 'live' });
  for (const text of [native.key, revoked.text, secret.key, app.tokens.liveKey]) {
    await refused(importOne(app, { text, display_prefix: 'sk_' }), 409, 'conflict');
  }
});

test('an import reveals nothing about other workspaces’ credentials', async (t) => {
  const app = await harness(t);
  const other = await harness(t);
  const { token } = await someone(other);
  const texts = [(await other.given.key()).key, other.tokens.liveKey, other.tokens.testKey, token];
  for (const text of texts) {
    equal((await importOne(app, { text, display_prefix: 'sk_' })).key.imported, true);
  }
  // An import with a test key also reveals nothing about the workspace's live secret keys.
  const at = await place(app);
  const keys = [importedKey(app.tokens.liveKey, { tenant_id: at.tenant_id, display_prefix: 'sk' })];
  const { data } = await app.as.testKey(line, { project_id: at.project_id, env: 'test', keys });
  equal(data.length, 1);
});

test('when a credential leaks, every key with the same hash is quarantined, in every workspace', async (t) => {
  const owner = await harness(t);
  const thief = await harness(t);
  const third = await harness(t);
  const session = await someone(owner);
  const native = await owner.given.key();
  const secret = await owner.as.liveKey('POST /v1/secret_keys', { env: 'live' });
  for (const text of [native.key, secret.key, session.token, foreignKey()]) {
    const imported = new Map<Harness, string>();
    for (const app of [thief, third]) {
      imported.set(app, (await importOne(app, { text, display_prefix: 'sk_' })).key.id);
    }
    const [verdict, ...more] = await report(owner, text);
    deepEqual([verdict?.label, more.length], ['true_positive', 0]);
    for (const [app, id] of imported) equal(typeof (await quarantinedAt(app, id)), 'string');
  }
  equal(typeof (await quarantinedAt(owner, native.id)), 'string');
  const { quarantined_at } = await owner.as.liveKey('GET /v1/secret_keys/{id}', { id: secret.id });
  equal(typeof quarantined_at, 'string');
  await refused(session.call('GET /v1/auth/me'), 401, 'invalid_session');
});
