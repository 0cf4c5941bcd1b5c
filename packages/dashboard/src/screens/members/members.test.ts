// Members can be invited, given a different role and removed, except for the last owner.
import { equal, match } from 'node:assert/strict';
import { test } from 'node:test';
import { refused } from '@keyrail/testing/harness.ts';
import { openGround } from '../../../test/ground.ts';

test('an owner can invite members, change their roles and remove them, except for the last owner', async (t) => {
  const ground = await openGround(t);
  if (!ground) return;
  const { page, vendor, visit } = await ground.signIn();
  const owner = await vendor.people.owner();
  const admin = await vendor.people.admin();
  const { key } = await admin.call('POST /v1/secret_keys', { env: 'test', name: 'Staging' });
  const staging = vendor.as.token(key);
  const made = await staging('POST /v1/secret_keys', { env: 'test', name: 'Preview' });
  await visit(`/w/${vendor.slug}/members`);
  const people = page.getByRole('table', { name: 'People' });
  await people.getByText(admin.email, { exact: true }).waitFor();

  await page.getByRole('button', { name: 'Invite member' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Email address').fill('margaret@example.com');
  await page.keyboard.press('Enter');
  const link =
    (await dialog
      .getByText(/accept-invite/)
      .first()
      .textContent()) ?? '';
  match(link, /^http.*\/accept-invite#token=./);
  await dialog.getByRole('button', { name: 'I’ve stored it' }).click();
  await page.getByRole('button', { name: 'Leave without copying' }).click();
  const invitations = page.getByRole('table', { name: 'Invitations' });
  await invitations.getByText('margaret@example.com', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Actions for margaret@example.com' }).click();
  await page.getByRole('menuitem', { name: 'Revoke invitation' }).click();
  await dialog.getByRole('button', { name: 'Revoke invitation' }).click();
  await page.getByText('No pending invitations.').waitFor();

  await page.getByRole('button', { name: `Actions for ${owner.email}` }).click();
  await page.getByRole('menuitem', { name: 'Change role' }).click();
  await dialog.getByText('Make another member an owner first').waitFor();
  await dialog.getByRole('button', { name: 'Got it' }).click();

  await page.getByRole('button', { name: `Actions for ${admin.email}` }).click();
  await page.getByRole('menuitem', { name: 'Change role' }).click();
  await dialog.getByLabel('Role').selectOption('member');
  await dialog.getByText('Any pending invitations they’ve sent will be revoked.').waitFor();
  await dialog.getByRole('button', { name: 'Make member' }).click();
  await page.getByText(`${admin.email}’s role is now member.`).waitFor();

  await page.getByRole('button', { name: `Actions for ${admin.email}` }).click();
  await page.getByRole('menuitem', { name: 'Remove' }).click();
  await dialog.getByText('1 secret key created by this person').waitFor();
  const lines = dialog.getByRole('listitem');
  await lines.filter({ hasText: /Staging.*Last used/ }).waitFor();
  await dialog.getByText('API keys created with these secret keys keep working').waitFor();
  await lines.filter({ hasText: /Preview.*Never used/ }).waitFor();
  equal(await dialog.getByRole('radio', { name: 'Keep them' }).isChecked(), true);
  await ground.axe(page);
  await dialog.getByRole('radio', { name: 'Revoke them' }).check();
  await dialog.getByRole('button', { name: `Remove ${admin.email}` }).click();
  await page.getByText('is no longer a member. 1 secret key revoked.').waitFor();
  await people.getByText(admin.email, { exact: true }).waitFor({ state: 'detached' });
  await refused(staging('GET /v1/secret_keys/current'), 401, 'invalid_key');
  await vendor.as.token(made.key)('GET /v1/secret_keys/current');
});

/** Enough newer secret keys to fill more than one page. */
const NEWER = 1030;

test('the dialog that removes a member shows their secret keys, even if over 1,000 keys are newer', async (t) => {
  const ground = await openGround(t);
  if (!ground) return;
  const { page, vendor, visit } = await ground.signIn();
  const admin = await vendor.people.admin();
  const oldest = await admin.call('POST /v1/secret_keys', { env: 'live', name: 'Oldest' });
  const owner = vendor.as.token(oldest.key);
  await owner('POST /v1/secret_keys', { env: 'live', name: 'Made with it' });
  for (let at = 0; at < 24; at += 1) {
    await admin.call('POST /v1/secret_keys', { env: 'live', name: `Key ${at}` });
  }
  await vendor.testApp.beyond(`
    set local session_replication_role = replica;
    insert into secret_keys (id, workspace_id, env, lookup_hash, display_prefix, meta, authority,
        created_at)
      select gen_random_uuid(), workspace_id, env, sha256(gen_random_uuid()::text::bytea), 'krsk_',
        meta, authority, created_at + n * interval '1 minute'
      from secret_keys, generate_series(1, ${NEWER}) n
      where workspace_id = '${vendor.workspaceId}' and name = 'Oldest';
  `);
  await visit(`/w/${vendor.slug}/members`);
  await page.getByRole('button', { name: `Actions for ${admin.email}` }).click();
  await page.getByRole('menuitem', { name: 'Remove' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('25 secret keys created by this person').waitFor();
  await dialog.getByRole('listitem').filter({ hasText: 'Key 23' }).waitFor();
  await dialog.getByText('and 5 more', { exact: true }).waitFor();
  await dialog.getByRole('listitem').filter({ hasText: 'Made with it' }).waitFor();
  equal(await dialog.getByRole('listitem').count(), 22);
  await ground.axe(page);
});

test('an admin can see why they cannot change members, and a member sees no controls', async (t) => {
  const ground = await openGround(t);
  if (!ground) return;
  const { page, vendor, visit } = await ground.signIn({ role: 'admin' });
  await visit(`/w/${vendor.slug}/members`);
  const invite = page.getByRole('button', { name: 'Invite member' });
  equal(await invite.getAttribute('aria-disabled'), 'true');
  await invite.click({ force: true });
  equal(await page.getByRole('dialog').count(), 0);
  const member = await ground.signIn({ role: 'member', vendor });
  await member.visit(`/w/${vendor.slug}/members`);
  await member.page.getByText('As a member, you can').waitFor();
  equal(await member.page.getByRole('button', { name: /Actions|Invite/ }).count(), 0);
});
