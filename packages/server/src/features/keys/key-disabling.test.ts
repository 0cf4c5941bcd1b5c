// Disabling and enabling a key: what changes, what doesn't, and what nodes receive.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { headSeq, lastEntry } from '@keyrail/testing/audit-trail.ts';
import { embedded } from '@keyrail/testing/embed.ts';
import { foldedFrom, poll, readAll } from '@keyrail/testing/feed.ts';
import { type Harness, harness, messageOf, refused } from '@keyrail/testing/harness.ts';
import { quarantine } from '@keyrail/testing/operations.ts';
import { DAY_MS, HOUR_MS, msAfter } from '../../base/duration.ts';
import { retireKeys } from '../policy/retire-keys.job.ts';

const read = 'GET /v1/keys/{id}';
const disable = 'POST /v1/keys/{id}/disable';
const enable = 'POST /v1/keys/{id}/enable';
const revoke = 'POST /v1/keys/{id}/revoke';
const delta = 'GET /v1/policy/delta';

const versionOf = async ({ as }: Harness, id: string) =>
  (await as.liveKey('GET /v1/projects/{id}', { id })).policy_version;

/** Returns the latest audit entry's sequence number and the policy version. */
const traceOf = async (app: Harness, projectId: string) => [
  await headSeq(app),
  await versionOf(app, projectId),
];

const changesSince = async (app: Harness, project_id: string, since: number) => {
  const { page } = await poll(app, delta, { project_id, since });
  return page.changes.map(({ change, key_id, reason }) => [change, key_id, reason]);
};

test('disabling and enabling a key changes nothing else about it, and each adds one audit entry and one version', async (t) => {
  const app = await harness(t);
  const { as, given } = app;
  const { key: _secret, key_shown_once: _shown, ...made } = await given.key({ scopes: ['a'] });
  const { id, project_id } = made;
  const [rows = 0, version = 0] = await traceOf(app, project_id);

  const disabled = await as.liveKey(disable, { id, reason: 'unpaid' });
  ok(disabled.disabled_at);
  deepEqual(disabled, {
    ...made,
    state: 'disabled',
    disabled_at: disabled.disabled_at,
    disabled_reason: 'unpaid',
  });
  deepEqual(await lastEntry(app), {
    action: 'api_key.disabled',
    target: id,
    payload: { env: 'live', reason: 'unpaid' },
  });
  deepEqual(await as.liveKey(disable, { id, reason: 'another' }), disabled);
  deepEqual(await as.liveKey(read, { id }), disabled);
  deepEqual((await as.liveKey('GET /v1/keys', { project_id })).data, [disabled]);
  deepEqual(await traceOf(app, project_id), [rows + 1, version + 1]);

  deepEqual(await as.liveKey(enable, { id }), made);
  deepEqual(await lastEntry(app), {
    action: 'api_key.enabled',
    target: id,
    payload: { env: 'live' },
  });
  deepEqual(await as.liveKey(enable, { id }), made);
  deepEqual(await traceOf(app, project_id), [rows + 2, version + 2]);
});

test('a disabled key can be changed and revoked, but not rotated', async (t) => {
  const app = await harness(t);
  const { as, given } = app;
  const { id, project_id } = await given.key();
  await as.liveKey(disable, { id });
  const before = await traceOf(app, project_id);
  const rotation = await refused(as.liveKey('POST /v1/keys/{id}/rotate', { id }), 409, 'conflict');
  equal(messageOf(rotation), 'A disabled key cannot be rotated.');
  deepEqual(await traceOf(app, project_id), before);
  const changed = await as.liveKey('PATCH /v1/keys/{id}', { id, name: 'renamed' });
  ok(changed.disabled_at, 'a change does not enable the key');

  const revoked = await as.liveKey(revoke, { id, reason: 'left' });
  equal(revoked.disabled_at, changed.disabled_at);
  for (const [line, message] of [
    [disable, 'A revoked key cannot be disabled.'],
    [enable, 'A revoked key cannot be enabled.'],
    ['POST /v1/keys/{id}/rotate', 'A revoked key cannot be rotated.'],
  ] as const) {
    equal(messageOf(await refused(as.liveKey(line, { id }), 409, 'conflict')), message);
  }
});

test('nodes remove a disabled key, and receive it again unchanged when it is enabled', async (t) => {
  const app = await harness(t);
  const { as, given } = app;
  const { id, project_id } = await given.key();
  const start = await readAll(app, { project_id });
  await as.liveKey(disable, { id });
  deepEqual(await changesSince(app, project_id, start.version), [['remove', id, 'disabled']]);
  const without = await readAll(app, { project_id });
  equal(without.keys.size, 0, 'a snapshot does not contain a disabled key');

  await as.liveKey('PATCH /v1/keys/{id}', { id, scopes: ['later'] });
  deepEqual(await changesSince(app, project_id, without.version), [['remove', id, 'disabled']]);
  await as.liveKey(enable, { id });
  deepEqual(await changesSince(app, project_id, without.version), [['upsert', id, undefined]]);
  for (const held of [start, without]) {
    const [entry] = await foldedFrom(app, { project_id }, held);
    deepEqual([entry?.key_id, entry?.scopes], [id, ['later']]);
  }

  await as.liveKey(disable, { id });
  const { version } = await readAll(app, { project_id });
  await as.liveKey(revoke, { id });
  deepEqual(await changesSince(app, project_id, version), [['remove', id, 'revoked']]);
});

test('disabling a key with `wait` lists the nodes that have applied the change', async (t) => {
  const app = await harness(t);
  const { as, given } = app;
  const { id, project_id } = await given.key();
  const { version: since } = await readAll(app, { project_id });
  const named = { project_id, node: 'n1' };
  await poll(app, delta, { ...named, since });
  const waiting = as.liveKey(disable, { id, wait: true });
  const held = await poll(app, delta, { ...named, since, wait_ms: 30_000 });
  await poll(app, delta, { ...named, since: held.page.version });
  const { propagation, disabled_at } = await waiting;
  ok(propagation && disabled_at);
  const { complete, acked_nodes, total_nodes, silent_nodes, version } = propagation;
  deepEqual([complete, acked_nodes, total_nodes, silent_nodes], [true, 1, 1, 0]);
  equal(version, held.page.version);
  const again = await as.liveKey(disable, { id, wait: true });
  deepEqual([again.propagation?.version, again.propagation?.complete], [version, true]);
});

test('a disabled key still expires, and enabling it does not extend it', async (t) => {
  const app = await harness(t);
  const { as, given, clock } = app;
  const expires_at = msAfter(clock.now(), HOUR_MS).toISOString();
  const { id, project_id } = await given.key({ expires_at });
  await as.liveKey(disable, { id });
  clock.shift(9 * DAY_MS);
  await retireKeys(app.testApp.app.worker);
  const { version } = await readAll(app, { project_id });
  equal((await as.liveKey(enable, { id })).expires_at, expires_at);
  deepEqual(await changesSince(app, project_id, version), [['remove', id, 'expired']]);
  equal((await readAll(app, { project_id })).keys.size, 0);
  await as.liveKey('PATCH /v1/keys/{id}', { id, expires_at: null });
  equal((await readAll(app, { project_id })).keys.size, 1);
});

test('a disabled key that leaks is quarantined, and enabling it does not lift the quarantine', async (t) => {
  const app = await harness(t);
  const { as, given } = app;
  const { id } = await given.key();
  await as.liveKey(disable, { id });
  await quarantine(app, id);
  const enabled = await as.liveKey(enable, { id });
  ok(enabled.quarantined_at);
  equal(enabled.disabled_at, null);
  equal(
    enabled.expires_at,
    msAfter(new Date(enabled.quarantined_at), HOUR_MS).toISOString(),
    'the key still expires within the hour',
  );
});

test('a tenant sees that a key is disabled, but not why, and cannot enable it', async (t) => {
  const app = await harness(t);
  const { call, projectId, tenantId } = await embedded(app);
  const { id } = await app.given.key({ project_id: projectId, tenant_id: tenantId });
  const { disabled_at } = await app.as.liveKey(disable, { id, reason: 'case 4711' });
  const { data } = await call('GET /v1/embed/keys', {});
  deepEqual(
    data.map((key) => [key.id, key.disabled_at, key.disabled_reason]),
    [[id, disabled_at, null]],
  );
  for (const line of [disable, enable] as const) {
    await refused(call(line, { id }), 403, 'forbidden');
  }
  const rotation = await refused(call('POST /v1/embed/keys/{id}/rotate', { id }), 409, 'conflict');
  equal(messageOf(rotation), 'A disabled key cannot be rotated.');
  const ended = await call('POST /v1/embed/keys/{id}/revoke', { id });
  deepEqual([ended.disabled_at, ended.disabled_reason], [disabled_at, null]);
});

test('deleting a tenant revokes its disabled keys', async (t) => {
  const { as, given } = await harness(t);
  const { id, tenant_id } = await given.key();
  await as.liveKey(disable, { id });
  equal((await as.liveKey('DELETE /v1/tenants/{id}', { id: tenant_id })).revoked_keys, 1);
  ok((await as.liveKey(read, { id })).revoked_at);
});
