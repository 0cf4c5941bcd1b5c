// Audit entries name the objects they are about, no matter how many newer objects there are, and
// even if those objects have since been revoked, deleted or removed.
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { lookupHash } from '@keyrail/protocol/wire/key-format.ts';
import { endpointFor } from '@keyrail/testing/webhooks.ts';
import { openGround, type Vendor } from '../../../test/ground.ts';

/** How many objects of each kind are added, which is more than one page of a list. */
const NEWER = 120;

/** Adds API keys, secret keys and members that lists show before the objects in the test. */
async function crowd({ given, as, testApp, workspaceId }: Vendor): Promise<void> {
  const { id: project_id } = await given.project({ name: 'Later' });
  const { id: tenant_id } = await given.tenant({ name: 'Latecomer' });
  const keys = Array.from({ length: NEWER }, (_, at) => ({
    tenant_id,
    lookup_hash: lookupHash(`named ${workspaceId} ${at}`),
    display_prefix: 'old_',
  }));
  await as.liveKey('POST /v1/keys/import', { project_id, env: 'live', keys });
  await testApp.beyond(`
    set local session_replication_role = replica;
    insert into secret_keys (id, workspace_id, env, lookup_hash, display_prefix, meta, authority,
        created_at)
      select gen_random_uuid(), workspace_id, env, sha256(gen_random_uuid()::text::bytea), 'krsk_',
        meta, authority, created_at + n * interval '1 minute'
      from secret_keys, generate_series(1, ${NEWER}) n
      where workspace_id = '${workspaceId}' and name = 'Importer';
    with people as (
      insert into users (id, email, email_key, password_hash, created_at)
      select gen_random_uuid(), 'a' || n, '${workspaceId}' || n, '', now()
      from generate_series(1, ${NEWER}) n returning id)
      insert into memberships (id, workspace_id, user_id, role, created_at, updated_at)
      select gen_random_uuid(), '${workspaceId}', id, 'member', '2020-01-01', now() from people;
  `);
}

test('entries show the names of old, revoked and deleted objects, and of members who have left', async (t) => {
  const ground = await openGround(t);
  if (!ground) return;
  const { page, vendor, visit } = await ground.signIn();
  const { as, given, people } = vendor;
  const owner = (await people.owner()).call;
  await owner('PATCH /v1/auth/me', { name: 'Ada' });
  const admin = await people.admin();
  await admin.call('PATCH /v1/auth/me', { name: 'Grace' });
  const importer = await owner('POST /v1/secret_keys', { env: 'live', name: 'Importer' });
  const project = await given.project({ name: 'Billing', slug: 'billing' });
  const tenant = await given.tenant({ external_id: 'cust_7', name: 'Globex' });
  const ids = { project_id: project.id, tenant_id: tenant.id };
  const key = await given.key({ ...ids, name: 'Backend' });
  const invite = { email: 'margaret@example.com', role: 'member' };
  const { id: inviteId } = await owner('POST /v1/invites', invite);
  await crowd(vendor);

  const call = as.token(importer.key);
  await call('POST /v1/keys/{id}/disable', { id: key.id });
  await call('POST /v1/keys/{id}/enable', { id: key.id });
  const next = await call('POST /v1/keys/{id}/rotate', { id: key.id, overlap_hours: 0 });
  await call('PATCH /v1/keys/{id}', { id: next.id, name: 'Backend 2' });
  await call('POST /v1/keys/{id}/revoke', { id: key.id });
  await owner('POST /v1/secret_keys/{id}/revoke', { id: importer.id });
  await owner('POST /v1/invites/{id}/revoke', { id: inviteId });
  await owner('PATCH /v1/members/{userId}', { userId: admin.userId, role: 'member' });
  await owner('DELETE /v1/members/{userId}', { userId: admin.userId });
  const { id } = await endpointFor(vendor, 'https://hooks.example/keyrail');
  await owner('PATCH /v1/webhook_endpoints/{id}', { id, disabled: true });
  await owner('DELETE /v1/tenants/{id}', { id: tenant.id });
  await owner('DELETE /v1/projects/{id}', { id: project.id });

  await visit(`/w/${vendor.slug}/audit`);
  const rows = page.getByRole('table', { name: 'Audit log entries' }).getByRole('row');
  const sentences = [
    'Ada deleted project billing',
    'Ada deleted tenant cust_7 with 1 key',
    'Ada updated the state of webhook endpoint hooks.example',
    'Ada removed member Grace (member)',
    'Ada changed the role of member Grace from admin to member',
    'Ada revoked the invitation for margaret@example.com',
    'Ada revoked secret key Importer',
    'Secret key Importer revoked key Backend',
    'Secret key Importer updated the name of key Backend 2',
    'Secret key Importer rotated key Backend to Backend 2, with no overlap',
    'Secret key Importer enabled key Backend',
    'Secret key Importer disabled key Backend',
  ];
  for (const sentence of sentences) await rows.filter({ hasText: sentence }).first().waitFor();
  const texts = await rows.allInnerTexts();
  const nameless = texts.filter((text) => text.includes('…'));
  deepEqual(nameless, [], 'no entry shows an ID instead of a name');

  await visit(`/w/${vendor.slug}/live/keys/${key.id}?tab=history`);
  const history = page.getByRole('list', { name: 'Key history, newest first' });
  await history.getByText('Secret key Importer disabled the key').waitFor();
  await history.getByRole('link', { name: 'Importer' }).first().waitFor();
  await ground.axe(page);
});

test("an entry for a change to a secret key's projects shows the projects' names", async (t) => {
  const ground = await openGround(t);
  if (!ground) return;
  const { page, vendor, visit } = await ground.signIn();
  const { given } = vendor;
  const owner = (await vendor.people.owner()).call;
  const billing = await given.project({ name: 'Billing' });
  const twins = [await given.project({ name: 'Twin' }), await given.project({ name: 'Twin' })];
  const closed = await given.project({ name: 'Closed' });
  const { id } = await owner('POST /v1/secret_keys', { env: 'live', name: 'Importer' });
  const project_ids = [billing, ...twins, closed].map((one) => one.id);
  await owner('PATCH /v1/secret_keys/{id}', { id, project_ids });
  await owner('DELETE /v1/projects/{id}', { id: closed.id });
  await owner('PATCH /v1/secret_keys/{id}', { id, project_ids: [billing.id] });
  await visit(`/w/${vendor.slug}/audit`);
  const sheet = page.getByRole('dialog');
  const entries = page
    .getByRole('row', { name: 'narrowed the projects of secret key Importer' })
    .getByRole('link', { name: /^Entry/ });
  await entries.last().click();
  await sheet.locator('ins', { hasText: `Billing, Twin, Twin, ${closed.id}` }).waitFor();
  await sheet.getByText('all projects').waitFor();
  await page.keyboard.press('Escape');
  await entries.first().click();
  await sheet.locator('del', { hasText: closed.id }).waitFor();
  deepEqual((await sheet.locator('del').allTextContents()).toSorted(), [closed.id, 'Twin', 'Twin']);
  await ground.axe(page);
});

test("entries for changes made in the key manager show the tenant's name", async (t) => {
  const ground = await openGround(t);
  if (!ground) return;
  const { page, vendor, visit } = await ground.signIn();
  const { tenantId, call } = await vendor.embed();
  await vendor.as.liveKey('PATCH /v1/tenants/{id}', { id: tenantId, name: 'Initech' });
  const { id } = await call('POST /v1/embed/keys', { name: 'Nightly export' });
  await visit(`/w/${vendor.slug}/audit`);
  const rows = page.getByRole('table', { name: 'Audit log entries' }).getByRole('row');
  const sentence = 'Initech, through the key manager, created key Nightly export';
  await rows.filter({ hasText: sentence }).waitFor();
  // The sentence is wrapped, not cut off, even on a tablet.
  await page.setViewportSize({ width: 768, height: 900 });
  const cut = await page
    .getByRole('cell')
    .filter({ hasText: sentence })
    .evaluate((cell) => cell.scrollWidth - cell.clientWidth);
  equal(cut, 0);
  await visit(`/w/${vendor.slug}/live/keys/${id}?tab=history`);
  await page.getByText('Initech, through the key manager, created the key').waitFor();
});

test('a page of entries that mentions more than 100 keys shows the names of all of them', async (t) => {
  const ROTATIONS = 60;
  const ground = await openGround(t);
  if (!ground) return;
  const { page, vendor, visit } = await ground.signIn();
  const { as, given } = vendor;
  const { project_id, tenant_id } = await given.key();
  const old = Array.from({ length: ROTATIONS }, (_, at) =>
    given.key({ project_id, tenant_id, name: `Key ${at}` }),
  );
  // Rename the keys with SQL, which adds no log entries, so that all the rotations fit on one page.
  const naming = ['set local session_replication_role = replica'];
  for (const [at, { id }] of (await Promise.all(old)).entries()) {
    const next = await as.liveKey('POST /v1/keys/{id}/rotate', { id, overlap_hours: 0 });
    naming.push(`update api_keys set name = 'New ${at}' where id = '${next.id}'`);
  }
  await vendor.testApp.beyond(naming.join(';'));
  await visit(`/w/${vendor.slug}/audit`);
  const rows = page.getByRole('table', { name: 'Audit log entries' }).getByRole('row');
  for (let at = 0; at < ROTATIONS; at += 1) {
    await rows.filter({ hasText: `rotated key Key ${at} to New ${at}, with no overlap` }).waitFor();
  }
});
