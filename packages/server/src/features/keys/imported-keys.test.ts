// An imported key behaves like any other key.
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { embedded } from '@keyrail/testing/embed.ts';
import { poll } from '@keyrail/testing/feed.ts';
import { harness } from '@keyrail/testing/harness.ts';
import { foreignKey, importedKey, importOne } from '@keyrail/testing/imports.ts';
import { batchOf, eventOf } from '@keyrail/testing/telemetry.ts';

const rule = { id: 'r', limit: 5, window_ms: 1000, algorithm: 'fixed', scope: 'key' };

test('the feed marks imported keys, and does not change the entries for native keys', async (t) => {
  const app = await harness(t);
  const native = await app.given.key({ rate_limits: [] });
  const at = { project_id: native.project_id, tenant_id: native.tenant_id };
  const { policy_version: since } = await app.as.liveKey('GET /v1/projects/{id}', {
    id: at.project_id,
  });
  const { text, key } = await importOne(app, { at, scopes: ['a'], display_prefix: 'Old key' });
  const entry = {
    key_id: key.id,
    tenant_id: at.tenant_id,
    env: 'live',
    lookup_hash: importedKey(text).lookup_hash,
    display_prefix: 'Old key',
    scopes: ['a'],
    expires_at: null,
    rate_limits: [],
    imported: true,
  };
  const snapshot = await poll(app, 'GET /v1/policy/snapshot', { project_id: at.project_id });
  deepEqual(snapshot.page.keys, [entry, { ...snapshot.page.keys[1] }]);
  deepEqual(Object.keys(snapshot.page.keys[1] ?? {}), Object.keys(entry).slice(0, -1));
  const delta = await poll(app, 'GET /v1/policy/delta', { project_id: at.project_id, since });
  deepEqual(delta.page.changes, [{ change: 'upsert', ...entry }]);
  await app.as.liveKey('POST /v1/keys/{id}/revoke', { id: key.id });
  const after = await poll(app, 'GET /v1/policy/delta', {
    project_id: at.project_id,
    since: since + 1,
  });
  const { key_id, tenant_id, env, lookup_hash } = entry;
  deepEqual(after.page.changes, [
    { change: 'remove', key_id, tenant_id, env, lookup_hash, reason: 'revoked' },
  ]);
});

test('rotating an imported key creates a native one with the same settings', async (t) => {
  const app = await harness(t);
  const terms = { name: 'Backend', scopes: ['a', 'b'], meta: { plan: 1 }, rate_limits: [rule] };
  const { key } = await importOne(app, { ...terms, expires_at: '2090-01-01T00:00:00Z' });
  const next = await app.as.liveKey('POST /v1/keys/{id}/rotate', { id: key.id, overlap_hours: 2 });
  match(next.key, /^kr_live_/);
  deepEqual([next.imported, next.previous_key.imported], [false, true]);
  equal(next.rotated_from, key.id);
  deepEqual({ ...next, ...terms, expires_at: key.expires_at }, next);
  ok(Date.parse(next.previous_key.expires_at ?? '') < Date.parse(key.expires_at ?? ''));
  const again = await app.as.liveKey('POST /v1/keys/{id}/rotate', { id: next.id });
  equal(again.imported, false);
});

test('an imported key can be changed, found, counted and revoked like any other', async (t) => {
  const app = await harness(t);
  const { key } = await importOne(app, { display_prefix: 'Globex 2019' });
  const found = await app.as.liveKey('GET /v1/keys', { q: 'globex' });
  deepEqual(found.data, [key]);
  const changed = await app.as.liveKey('PATCH /v1/keys/{id}', { id: key.id, scopes: ['z'] });
  deepEqual(changed, { ...key, scopes: ['z'] });
  const now = app.clock.now();
  await app.as.liveKey('POST /v1/ingest/batch', batchOf([eventOf(key, now)]));
  const used = await app.as.liveKey('GET /v1/keys/{id}', { id: key.id });
  equal(used.last_used_at, now.toISOString());
  const usage = await app.as.liveKey('GET /v1/keys/{id}/usage', { id: key.id });
  equal(usage.data[0]?.requests, 1);
  const check = await app.as.liveKey('POST /v1/ratelimit/check', {
    project_id: key.project_id,
    env: 'live',
    key_id: key.id,
    tenant_id: key.tenant_id,
    limits: [rule],
  });
  equal(check.allowed, true);
  const revoked = await app.as.liveKey('POST /v1/keys/{id}/revoke', { id: key.id, wait: true });
  ok(revoked.revoked_at);
  equal(revoked.imported, true);
});

test('an embed token can be used to list, rotate and revoke its tenant’s imported keys', async (t) => {
  const app = await harness(t);
  const { key } = await importOne(app);
  const { call } = await embedded(app, { project_id: key.project_id, tenant_id: key.tenant_id });
  await importOne(app);
  deepEqual((await call('GET /v1/embed/keys')).data, [key]);
  const next = await call('POST /v1/embed/keys/{id}/rotate', { id: key.id });
  match(next.key, /^kr_live_/);
  ok((await call('POST /v1/embed/keys/{id}/revoke', { id: key.id })).revoked_at);
});

test('an imported key found by a scanner is quarantined', async (t) => {
  const app = await harness(t);
  const { text, key } = await importOne(app);
  const token = (each: string) => ({ token: each, type: 'other', url: null, source: 'content' });
  const reports = [text, `${text} `, foreignKey(), 'short', 'ü'.repeat(20)].map(token);
  const verdicts = await app.as.scanner('POST /v1/webhooks/scanner/secret_scanning', { reports });
  deepEqual(
    verdicts.map(({ label }) => label),
    ['true_positive', ...Array.from({ length: 4 }, () => 'false_positive')],
  );
  const { quarantined_at, expires_at } = await app.as.liveKey('GET /v1/keys/{id}', { id: key.id });
  equal(Date.parse(expires_at ?? ''), Date.parse(quarantined_at ?? '') + 3_600_000);
});

test('deleting the tenant or the project revokes its imported keys', async (t) => {
  const app = await harness(t);
  const one = await importOne(app);
  const other = await importOne(app);
  await app.as.liveKey('DELETE /v1/tenants/{id}', { id: one.key.tenant_id });
  await app.as.liveKey('DELETE /v1/projects/{id}', { id: other.key.project_id });
  for (const { key } of [one, other]) {
    ok((await app.as.liveKey('GET /v1/keys/{id}', { id: key.id })).revoked_at);
  }
});
