// Someone else may have a copy of a quarantined secret key, so the key can't create anything that
// would outlive it. The owner replaces it using a different credential.
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Caller,
  type Harness,
  harness,
  messageOf,
  refused,
} from '@keyrail/testing/harness.ts';
import { newAddress } from '@keyrail/testing/people.ts';

const create = 'POST /v1/secret_keys';
const rotate = 'POST /v1/secret_keys/{id}/rotate';

async function leak({ as }: Harness, token: string): Promise<void> {
  const reports = [{ token, type: 'keyrail_key', url: '', source: 'content' }];
  await as.scanner('POST /v1/webhooks/scanner/secret_scanning', { reports });
}

async function refusedAsQuarantined(call: Promise<unknown>): Promise<void> {
  const answer = await refused(call, 403, 'forbidden');
  equal(messageOf(answer), 'A quarantined secret key cannot make this change.');
}

async function keysIn({ as }: Harness): Promise<string[]> {
  const { data } = await as.liveKey('GET /v1/secret_keys');
  return data.map(({ id, revoked_at }) => `${id} ${revoked_at}`);
}

test('a quarantined key cannot rotate, create or revoke keys, invite members, or change the workspace', async (t) => {
  const app = await harness(t);
  const other = await app.as.liveKey(create, { env: 'live' });
  for (const env of ['live', 'test'] as const) {
    const { id, key } = await app.as.liveKey(create, { env });
    const finder = app.as.token(key);
    await leak(app, key);
    const before = await keysIn(app);

    await refusedAsQuarantined(finder(rotate, { id, overlap_hours: 168 }));
    await refusedAsQuarantined(finder(create, { env }));
    await refusedAsQuarantined(finder('POST /v1/secret_keys/{id}/revoke', { id: other.id }));
    if (env === 'live') {
      const invited = { email: newAddress(), role: 'owner' };
      await refusedAsQuarantined(finder('POST /v1/invites', invited));
      const mine = { billing_email: newAddress(), embed_origins: ['https://evil.example'] };
      await refusedAsQuarantined(finder('PATCH /v1/workspace', mine));
    }
    deepEqual(await keysIn(app), before);
  }
  deepEqual((await app.as.liveKey('GET /v1/invites')).data, []);
});

test('a leaked key is restricted by the time the report gets its response, even if the key was used just before', async (t) => {
  const app = await harness(t);
  const { id, key } = await app.as.liveKey(create, { env: 'live' });
  const finder = app.as.token(key);
  const using = async (call: Caller) => call('GET /v1/workspace');
  await Promise.all([using(finder), using(finder)]);
  await leak(app, key);
  await refusedAsQuarantined(finder(rotate, { id }));
  // Reporting the key a second time changes nothing.
  await leak(app, key);
  await refusedAsQuarantined(finder(create, { env: 'live' }));
});

test('a user or another key can rotate a quarantined key, and the new key is not quarantined', async (t) => {
  const app = await harness(t);
  for (const owner of [app.as.liveKey, app.as.owner]) {
    const { id, key } = await app.as.liveKey(create, { env: 'live' });
    await leak(app, key);
    const next = await owner(rotate, { id });
    deepEqual([next.quarantined_at, next.expires_at], [null, null]);
    await app.as.token(next.key)(create, { env: 'test' });
    await owner('POST /v1/secret_keys/{id}/revoke', { id });
    await refused(app.as.token(key)('GET /v1/workspace'), 401, 'invalid_key');
  }
});

test('a key is not restricted during its rotation overlap', async (t) => {
  const app = await harness(t);
  const { id, key } = await app.as.liveKey(create, { env: 'live' });
  await app.as.liveKey(rotate, { id, overlap_hours: 1 });
  const call = app.as.token(key);
  await call('PATCH /v1/workspace', { name: 'Renamed by the old key' });
  await call(create, { env: 'test' });
  await call('POST /v1/invites', { email: newAddress(), role: 'member' });
  await call(rotate, { id });
});
