// The database tracks the total size of each workspace's `meta` values, and limits it.
import { deepEqual, equal, match } from 'node:assert/strict';
import { test } from 'node:test';
import { type Caller, type Input, messageOf, refused } from '@keyrail/testing/harness.ts';
import { appBeside } from '@keyrail/testing/second-app.ts';
import { BOOTSTRAP_TOKEN, testApp } from '@keyrail/testing/test-app.ts';
import { openStore, type Store } from './store.ts';

const KIBIBYTE = 1024;
const META_BYTES_MAX = 256 * KIBIBYTE * KIBIBYTE;
const large = { note: 'x'.repeat(20 * KIBIBYTE) };
const small = { note: 'x'.repeat(900) };

/**
 * Returns how many bytes the database has counted for a workspace, and how many are actually
 * stored.
 */
async function countedFor(store: Store, workspaceId: string) {
  const [row] = await store.beyond(`select
    (select bytes from meta_totals where workspace_id = '${workspaceId}')::int as counted,
    (select sum(greatest(octet_length(meta::text) - ${KIBIBYTE}, 0)) from (
      select workspace_id, meta from tenants union all select workspace_id, meta from api_keys
      union all select workspace_id, meta from secret_keys) written
     where workspace_id = '${workspaceId}')::int as there`);
  return { counted: Number(row?.counted), there: Number(row?.there) };
}

test('a workspace that has reached its meta limit cannot add large meta until it deletes some', async (t) => {
  const store = await openStore();
  t.after(() => store.close());
  const { as } = appBeside(t, await testApp(), { db: store.db });
  const found = async (slug: string) => {
    const made = await as(BOOTSTRAP_TOKEN)('POST /v1/workspaces', { name: slug, slug });
    return { call: as(made.secret_key.key), id: made.workspace.id };
  };
  const mine = await found('mine');
  const theirs = await found('theirs');
  let named = 0;
  const tenantOf = (call: Caller, meta: Input) => {
    named += 1;
    return call('POST /v1/tenants', { external_id: `tenant ${named}`, meta });
  };
  const { call } = mine;
  const tenant = await tenantOf(call, large);
  const project = await call('POST /v1/projects', { name: 'Orders', slug: 'orders' });
  const key = { project_id: project.id, tenant_id: tenant.id, env: 'test' };
  const made = await call('POST /v1/keys', { ...key, meta: large });
  await call('POST /v1/keys/{id}/rotate', { id: made.id });
  const secret = await call('POST /v1/secret_keys', { env: 'test', meta: large });
  const shrunk = await tenantOf(call, large);
  await call('PATCH /v1/tenants/{id}', { id: shrunk.id, meta: small });

  const before = await countedFor(store, mine.id);
  deepEqual(before.counted, before.there);
  equal(before.there, 4 * (JSON.stringify(large).length - KIBIBYTE));

  // Raises only the tracked total, because storing that many bytes would take minutes.
  const filling = META_BYTES_MAX - before.there;
  await store.beyond(`update meta_totals set bytes = bytes + ${filling}`);
  const refusals = [
    () => tenantOf(call, large),
    () => call('PATCH /v1/tenants/{id}', { id: shrunk.id, meta: large }),
    () => call('POST /v1/keys', { ...key, meta: large }),
    () => call('PATCH /v1/keys/{id}', { id: made.id, meta: { ...large, more: 'x' } }),
    () => call('POST /v1/keys/{id}/rotate', { id: made.id }),
    () => call('POST /v1/secret_keys', { env: 'test', meta: large }),
    // The database rejects these changes only when they are committed. A dry run never commits, but
    // must predict the rejection.
    () =>
      call('PATCH /v1/keys/{id}', { id: made.id, meta: { ...large, more: 'x' }, dry_run: true }),
    () => call('POST /v1/keys/{id}/rotate', { id: made.id, dry_run: true }),
    () => call('POST /v1/secret_keys/{id}/rotate', { id: secret.id, dry_run: true }),
  ];
  for (const refusal of refusals) {
    const answer = await refused(refusal(), 409, 'conflict');
    match(String(messageOf(answer)), /meta\b.* 256 MiB/);
  }
  await tenantOf(call, small);
  await call('PATCH /v1/keys/{id}', { id: made.id, meta: small, dry_run: true });
  await call('PATCH /v1/keys/{id}', { id: made.id, name: 'Renamed' });
  await call('POST /v1/keys/{id}/revoke', { id: made.id });
  await tenantOf(theirs.call, large);

  await call('DELETE /v1/tenants/{id}', { id: tenant.id });
  await tenantOf(call, large);
  await refused(tenantOf(call, large), 409, 'conflict');
  const after = await countedFor(store, mine.id);
  equal(after.counted - filling, after.there);
});
