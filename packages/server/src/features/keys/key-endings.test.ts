// How an API key stops working (rotation, revocation, quarantine), and what a new key inherits from
// the key it replaces.
import { deepEqual, equal, notEqual, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { headSeq, lastEntry } from '@keyrail/testing/audit-trail.ts';
import { type Harness, harness, messageOf, refused } from '@keyrail/testing/harness.ts';
import { quarantine } from '@keyrail/testing/operations.ts';
import { HOUR_MS, MINUTE_MS, msAfter } from '../../base/duration.ts';

const read = 'GET /v1/keys/{id}';
const update = 'PATCH /v1/keys/{id}';
const rotate = 'POST /v1/keys/{id}/rotate';
const revoke = 'POST /v1/keys/{id}/revoke';

const isoAfter = (start: string | Date, ms: number) => msAfter(new Date(start), ms).toISOString();

const versionOf = async ({ as }: Harness, id: string) =>
  (await as.liveKey('GET /v1/projects/{id}', { id })).policy_version;

test('rotating a key creates a new one with the same settings but a different secret', async (t) => {
  const app = await harness(t);
  const { as, given } = app;
  const rule = { id: 'a', limit: 1, window_ms: 1000, algorithm: 'fixed', scope: 'key' };
  const old = await given.key({
    name: 'backend',
    scopes: ['a', 'b'],
    meta: { team: 'api' },
    rate_limits: [rule],
  });
  const before = await versionOf(app, old.project_id);
  const next = await as.liveKey(rotate, { id: old.id });

  notEqual(next.id, old.id);
  notEqual(next.key, old.key);
  equal(next.rotated_from, old.id);
  equal(next.expires_at, null);
  for (const field of ['project_id', 'tenant_id', 'env', 'name', 'scopes', 'meta', 'rate_limits']) {
    deepEqual(Reflect.get(next, field), Reflect.get(old, field), field);
  }
  equal(next.previous_key.expires_at, isoAfter(next.created_at, 24 * HOUR_MS));
  deepEqual(await as.liveKey(read, { id: old.id }), next.previous_key);
  equal(await versionOf(app, old.project_id), before + 1);
  deepEqual(await lastEntry(app), {
    action: 'api_key.rotated',
    target: old.id,
    payload: { env: 'live', successor_id: next.id, overlap_hours: 24 },
  });
});

test('a rotation preserves the difference between default limits and no limits', async (t) => {
  const { as, given } = await harness(t);
  const inheriting = await given.key();
  const unlimited = await given.key({ rate_limits: [] });
  equal((await as.liveKey(rotate, { id: inheriting.id })).rate_limits, null);
  deepEqual((await as.liveKey(rotate, { id: unlimited.id })).rate_limits, []);
});

test('a rotated key expires exactly when its overlap ends, whether that is 0 hours, 20 minutes or a week', async (t) => {
  const { as, given } = await harness(t);
  for (const hours of [0, 0.5, 1 / 3, 24, 168]) {
    const { id } = await given.key();
    const next = await as.liveKey(rotate, { id, overlap_hours: hours });
    const overlap = Math.trunc(hours * HOUR_MS);
    equal(next.previous_key.expires_at, isoAfter(next.created_at, overlap));
  }
});

test('a rotation never extends the old key and never shortens the new one', async (t) => {
  const { as, given, clock } = await harness(t);
  const soon = isoAfter(clock.now(), HOUR_MS);
  const old = await given.key({ expires_at: soon });
  const next = await as.liveKey(rotate, { id: old.id, overlap_hours: 24 });
  equal(next.previous_key.expires_at, soon);
  equal(next.expires_at, soon, 'the new key inherits the expiry that the vendor set');

  const eternal = await given.key();
  const first = await as.liveKey(rotate, { id: eternal.id, overlap_hours: 1 });
  const second = await as.liveKey(rotate, { id: eternal.id, overlap_hours: 48 });
  equal(second.previous_key.expires_at, first.previous_key.expires_at);
  equal(second.expires_at, null, 'the new key does not inherit the expiry set by a rotation');
  equal((await as.liveKey(rotate, { id: first.id })).rotated_from, first.id);
});

test('a key can be rotated after the overlap of an earlier rotation ends, but not after the expiry set by the vendor', async (t) => {
  const { as, given, clock } = await harness(t);
  const replaced = await given.key();
  await as.liveKey(rotate, { id: replaced.id, overlap_hours: 0 });
  const ended = await given.key({ expires_at: isoAfter(clock.now(), HOUR_MS) });
  clock.shift(2 * HOUR_MS);
  equal((await as.liveKey(rotate, { id: replaced.id })).expires_at, null);
  const answer = await refused(as.liveKey(rotate, { id: ended.id }), 409, 'conflict');
  equal(messageOf(answer), 'An expired key cannot be rotated.');
});

test('an expiry set by the vendor overrides one set by a rotation, and the next rotation passes it on to the new key', async (t) => {
  const { as, given, clock } = await harness(t);
  const { id } = await given.key();
  const { previous_key } = await as.liveKey(rotate, { id, overlap_hours: 1 });
  await as.liveKey(update, { id, expires_at: previous_key.expires_at });
  equal(
    (await as.liveKey(rotate, { id })).expires_at,
    null,
    'sending the current expiry changes nothing',
  );

  const later = isoAfter(clock.now(), 100 * HOUR_MS);
  equal((await as.liveKey(update, { id, expires_at: later })).expires_at, later);
  const next = await as.liveKey(rotate, { id, overlap_hours: 168 });
  equal(next.expires_at, later);
  equal(next.previous_key.expires_at, later);
  equal((await as.liveKey(update, { id, expires_at: null })).expires_at, null);
});

test('a revoked key cannot be rotated, and revoking it again changes nothing', async (t) => {
  const app = await harness(t);
  const { as, given } = app;
  const { id, project_id } = await given.key();
  const first = await as.liveKey(revoke, { id, reason: 'left' });
  ok(first.revoked_at);
  equal(first.revoked_reason, 'left');
  deepEqual(await lastEntry(app), {
    action: 'api_key.revoked',
    target: id,
    payload: { env: 'live', reason: 'left' },
  });
  const before = [await headSeq(app), await versionOf(app, project_id)];
  deepEqual(await as.liveKey(revoke, { id, reason: 'again' }), first);
  const answer = await refused(as.liveKey(rotate, { id }), 409, 'conflict');
  equal(messageOf(answer), 'A revoked key cannot be rotated.');
  deepEqual([await headSeq(app), await versionOf(app, project_id)], before);
});

test('an expired or leaked key can be revoked, with or without a reason', async (t) => {
  const app = await harness(t);
  const { as, given } = app;
  const expired = await given.key({ expires_at: '2001-01-01T00:00:00Z' });
  const leaked = await given.key({ env: 'test' });
  await quarantine(app, leaked.id);
  for (const { id } of [expired, leaked]) {
    const revoked = await as.liveKey(revoke, { id });
    ok(revoked.revoked_at);
    equal(revoked.revoked_reason, null);
  }
  equal((await as.liveKey(read, { id: expired.id })).expires_at, '2001-01-01T00:00:00.000Z');
});

test('revoking a key with `wait` returns the policy version that revoked the key, even if it was already revoked', async (t) => {
  const app = await harness(t);
  const { as, given } = app;
  const { id, project_id } = await given.key();
  const plain = await as.liveKey(revoke, { id });
  equal('propagation' in plain, false);
  const version = await versionOf(app, project_id);
  const none = { acked_nodes: 0, total_nodes: 0, silent_nodes: 0, nodes: [] };
  const nobody = { complete: true, incomplete_reason: null, ...none, receipt: null };
  await given.key({ project_id });
  const { propagation, ...again } = await as.liveKey(revoke, { id, wait: true });
  deepEqual(again, plain);
  deepEqual(propagation, { version, ...nobody, waited_ms: propagation?.waited_ms });

  const other = await given.key({ project_id });
  const now = await as.liveKey(revoke, { id: other.id, wait: true });
  equal(now.propagation?.version, await versionOf(app, project_id));
});

test('a deleted tenant’s keys are revoked in the same policy version as the deletion', async (t) => {
  const app = await harness(t);
  const { as, given } = app;
  const { id, project_id, tenant_id } = await given.key();
  await as.liveKey('DELETE /v1/tenants/{id}', { id: tenant_id });
  const version = await versionOf(app, project_id);
  await given.key({ project_id });
  const { propagation } = await as.liveKey(revoke, { id, wait: true });
  equal(propagation?.version, version);
});

test('a leaked key expires within an hour, is quarantined once and can be rotated', async (t) => {
  const app = await harness(t);
  const { as, given, clock } = app;
  const { id, project_id } = await given.key();
  const before = await versionOf(app, project_id);
  const first = await quarantine(app, id);
  ok(first.quarantinedAt);
  deepEqual(first.expiresAt, msAfter(first.quarantinedAt, HOUR_MS));
  equal(await versionOf(app, project_id), before + 1);
  deepEqual(await lastEntry(app), {
    action: 'api_key.quarantined',
    target: id,
    payload: { env: 'live', reason: 'found in a public repository' },
  });

  clock.shift(10 * MINUTE_MS);
  deepEqual(await quarantine(app, id), first);
  equal(await versionOf(app, project_id), before + 1);
  const next = await as.liveKey(rotate, { id, overlap_hours: 24 });
  equal(next.previous_key.expires_at, first.expiresAt?.toISOString());
  deepEqual([next.expires_at, next.quarantined_at, next.quarantine_reason], [null, null, null]);
});

test('a quarantine never postpones a key’s expiry, and a revoked key is never quarantined', async (t) => {
  const app = await harness(t);
  const { as, given, clock } = app;
  const soon = isoAfter(clock.now(), 10 * MINUTE_MS);
  const short = await given.key({ expires_at: soon });
  equal((await quarantine(app, short.id)).expiresAt?.toISOString(), soon);
  const dead = await given.key();
  await as.liveKey(revoke, { id: dead.id });
  const before = await headSeq(app);
  equal((await quarantine(app, dead.id)).quarantinedAt, null);
  equal(await headSeq(app), before);
});
