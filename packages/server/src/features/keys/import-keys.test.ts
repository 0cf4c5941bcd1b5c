// Importing keys from another product: everything the endpoint accepts, rejects and returns.
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { lookupHash } from '@keyrail/protocol/wire/key-format.ts';
import { type Harness, harness, type Input, refused } from '@keyrail/testing/harness.ts';
import { foreignKey, importedKey, importOne } from '@keyrail/testing/imports.ts';

const line = 'POST /v1/keys/import';
const rule = { id: 'r', limit: 5, window_ms: 1000, algorithm: 'fixed', scope: 'key' };

async function place({ given }: Harness) {
  const { id: project_id } = await given.project();
  const { id: tenant_id, external_id: tenant_external_id } = await given.tenant();
  return { project_id, tenant_id, tenant_external_id };
}

const versionOf = async ({ as }: Harness, id: string) =>
  (await as.liveKey('GET /v1/projects/{id}', { id })).policy_version;

const logOf = async ({ as }: Harness) =>
  (await as.liveKey('GET /v1/audit_logs', { limit: 200 })).data;

const bearer = ({ tokens }: Harness) => ({ authorization: `Bearer ${tokens.liveKey}` });

test('an import returns its keys in the order sent, and adds one version and one audit entry', async (t) => {
  const app = await harness(t);
  const { project_id, tenant_id, tenant_external_id } = await place(app);
  const texts = Array.from({ length: 5 }, foreignKey);
  const full = {
    name: 'Server 🔑',
    scopes: ['orders:read', ' ä "{}'],
    meta: { b: 1, a: { deep: [null, 1e21, 'ü'] } },
    rate_limits: [rule],
    expires_at: '2030-02-28T23:30:00.123456+05:30',
  };
  const keys = texts.map((text, index) =>
    importedKey(text, index === 2 ? { tenant_id, ...full } : { tenant_external_id }),
  );
  const version = await versionOf(app, project_id);
  const before = (await logOf(app)).length;
  const { object, data } = await app.as.liveKey(line, { project_id, env: 'live', keys });
  equal(object, 'list');
  deepEqual(
    data.map(({ display_prefix }) => display_prefix),
    texts.map((text) => text.slice(0, 12)),
  );
  const [first, , third] = data;
  deepEqual(first, {
    object: 'api_key',
    id: first?.id,
    project_id,
    tenant_id,
    env: 'live',
    display_prefix: texts[0]?.slice(0, 12),
    name: null,
    state: 'active',
    scopes: [],
    meta: {},
    rate_limits: null,
    disabled_at: null,
    disabled_reason: null,
    imported: true,
    expires_at: null,
    revoked_at: null,
    revoked_reason: null,
    quarantined_at: null,
    quarantine_reason: null,
    rotated_from: null,
    created_at: first?.created_at,
    last_used_at: null,
  });
  const { expires_at: _, ...kept } = full;
  deepEqual({ ...third, ...kept, expires_at: '2030-02-28T18:00:00.123Z' }, third);
  for (const key of data) deepEqual(await app.as.liveKey('GET /v1/keys/{id}', { id: key.id }), key);
  equal(await versionOf(app, project_id), version + 1);
  const [row, ...others] = (await logOf(app)).slice(before);
  deepEqual(others, []);
  deepEqual(
    [row?.action, row?.target_type, row?.target_id, row?.payload],
    ['api_key.imported', 'project', project_id, { count: 5, env: 'live' }],
  );
  const listed = await app.as.liveKey('GET /v1/keys', { project_id });
  equal(listed.data.length, 5);
  equal(JSON.stringify(listed).includes(lookupHash(texts[0] ?? '')), false);
});

test('if a key’s tenant is unknown, the response is a 404 with the key’s index, and nothing is imported', async (t) => {
  const app = await harness(t);
  const { project_id, tenant_id } = await place(app);
  const { id: deleted } = await app.given.tenant();
  await app.as.liveKey('DELETE /v1/tenants/{id}', { id: deleted });
  const other = await harness(t);
  const foreign = await other.given.tenant({ external_id: 'only-there' });
  const keys = [
    importedKey(foreignKey(), { tenant_id }),
    importedKey(foreignKey(), { tenant_id: deleted }),
    importedKey(foreignKey(), { tenant_external_id: foreign.external_id }),
    importedKey(foreignKey(), { tenant_id: foreign.id }),
  ];
  const { status, body } = await app.ask(line, { project_id, env: 'live', keys }, bearer(app));
  equal(status, 404);
  const message = 'No such tenant.';
  deepEqual(Object(body.error).details, [
    { path: 'keys.1.tenant_id', message },
    { path: 'keys.2.tenant_external_id', message },
    { path: 'keys.3.tenant_id', message },
  ]);
  deepEqual((await app.as.liveKey('GET /v1/keys')).data, []);
  const gone = await app.given.project();
  await app.as.liveKey('DELETE /v1/projects/{id}', { id: gone.id });
  for (const id of [gone.id, (await other.given.project()).id]) {
    const call = app.as.liveKey(line, { project_id: id, env: 'live', keys: keys.slice(0, 1) });
    await refused(call, 404, 'not_found');
  }
});

test('if hashes are already known, the response is a 409 that lists their indexes and nothing else', async (t) => {
  const app = await harness(t);
  const { project_id, tenant_id } = await place(app);
  const elsewhere = await importOne(await harness(t));
  const native = await app.given.key();
  const revoked = await importOne(app);
  await app.as.liveKey('POST /v1/keys/{id}/revoke', { id: revoked.key.id });
  const twice = foreignKey();
  const texts = [twice, elsewhere.text, foreignKey(), native.key, twice, revoked.text];
  const keys = texts.map((text) => importedKey(text, { tenant_id, display_prefix: 'sk_' }));
  const version = await versionOf(app, project_id);
  const { status, body } = await app.ask(line, { project_id, env: 'live', keys }, bearer(app));
  equal(status, 409);
  const message = 'This key already exists.';
  deepEqual(body.error, {
    code: 'conflict',
    message,
    details: [3, 4, 5].map((index) => ({ path: `keys.${index}.lookup_hash`, message })),
  });
  equal(await versionOf(app, project_id), version);
  deepEqual((await app.as.liveKey('GET /v1/keys', { project_id })).data, []);
  const rest = keys.filter((_, index) => ![3, 4, 5].includes(index));
  equal((await app.as.liveKey(line, { project_id, env: 'live', keys: rest })).data.length, 3);
});

test('a test key can only import test keys', async (t) => {
  const app = await harness(t);
  const { project_id, tenant_id } = await place(app);
  const keys = [importedKey(foreignKey(), { tenant_id })];
  await refused(app.as.testKey(line, { project_id, env: 'live', keys }), 403, 'forbidden');
  const { data } = await app.as.testKey(line, { project_id, env: 'test', keys });
  equal(data[0]?.env, 'test');
  await refused(app.as.member(line, { project_id, env: 'test', keys }), 403, 'forbidden');
});

test('each field of an import is validated', async (t) => {
  const app = await harness(t);
  const { project_id, tenant_id, tenant_external_id } = await place(app);
  const key = importedKey(foreignKey(), { tenant_id });
  const faulty: Input[] = [
    { ...key, tenant_external_id },
    { ...key, tenant_id: undefined },
    { ...key, lookup_hash: String(key.lookup_hash).toUpperCase() },
    { ...key, lookup_hash: String(key.lookup_hash).slice(1) },
    { ...key, display_prefix: '' },
    { ...key, display_prefix: 'x'.repeat(25) },
    { ...key, display_prefix: 'sk_ü' },
    { ...key, display_prefix: 'sk\t' },
    ...['kr_', 'krsk_live', 'krses_1'].map((display_prefix) => ({ ...key, display_prefix })),
    { ...key, scopes: 'read' },
    { ...key, meta: [] },
    { ...key, rate_limits: [rule, rule] },
    { ...key, expires_at: 'tomorrow' },
    { ...key, key: 'sk_live_1' },
  ];
  for (const each of faulty) {
    const call = app.as.liveKey(line, { project_id, env: 'live', keys: [each] });
    await refused(call, 400, 'invalid_request');
  }
  const many = Array.from({ length: 1001 }, () => importedKey(foreignKey(), { tenant_id }));
  for (const keys of [[], many]) {
    await refused(app.as.liveKey(line, { project_id, env: 'live', keys }), 400, 'invalid_request');
  }
  for (const display_prefix of ['~', 'kr', 'KR_live_', ' key of Globex, 2019 ~!']) {
    await importOne(app, { display_prefix, at: { project_id, tenant_id } });
  }
});

test('a single import can contain a thousand keys with 6 KiB of meta each', async (t) => {
  const app = await harness(t);
  const { project_id, tenant_external_id } = await place(app);
  const meta = { note: 'x'.repeat(6 * 1024) };
  const keys = Array.from({ length: 1000 }, () =>
    importedKey(foreignKey(), { tenant_external_id, meta, scopes: ['a'], rate_limits: [rule] }),
  );
  const { data } = await app.as.liveKey(line, { project_id, env: 'live', keys });
  equal(data.length, 1000);
  deepEqual(
    data.map(({ display_prefix }) => display_prefix),
    keys.map(({ display_prefix }) => display_prefix),
  );
  const large = keys.map((key) => ({ ...key, meta: { note: 'x'.repeat(9 * 1024) } }));
  const call = app.as.liveKey(line, { project_id, env: 'live', keys: large });
  await refused(call, 413, 'payload_too_large');
});
