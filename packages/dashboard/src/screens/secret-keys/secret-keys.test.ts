// Secret keys are created, shown once, rotated, and revoked after the impact has been shown.
import { equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { openGround } from '../../../test/ground.ts';

test('a secret key can be created, rotated and revoked, and is shown only once', async (t) => {
  const ground = await openGround(t);
  if (!ground) return;
  const { page, vendor, visit } = await ground.signIn();
  await visit(`/w/${vendor.slug}/live/secret-keys`);
  const table = page.getByRole('table', { name: 'Secret keys' });
  await table.waitFor();
  await page.getByRole('button', { name: 'Create live secret key' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Billing');
  await dialog.getByLabel('Expires').selectOption('30');
  await page.keyboard.press('Enter');
  await dialog.getByText('It won’t be shown again').waitFor();
  const secret =
    (await dialog
      .getByText(/^krsk_live_/)
      .first()
      .textContent()) ?? '';
  equal((await vendor.as.token(secret)('GET /v1/secret_keys/current')).profile, 'node');
  await dialog.getByRole('button', { name: 'I’ve stored it' }).click();
  await page.getByRole('button', { name: 'Leave without copying' }).click();
  await table.getByText('Billing', { exact: true }).waitFor();
  await table.getByText('Verify keys').waitFor();
  ok(!(await page.content()).includes(secret), 'the secret is removed when its dialog closes');

  await page.getByRole('button', { name: 'Actions for Billing' }).click();
  await page.getByRole('menuitem', { name: 'Rotate' }).click();
  await dialog.getByText('Used in the last hour').waitFor();
  await dialog.getByLabel('Old key stops working').selectOption('1');
  await dialog.getByRole('button', { name: 'Rotate live secret key' }).click();
  await dialog.getByText('The old key stops working in').waitFor();
  await dialog.getByRole('button', { name: 'I’ve stored it' }).click();
  await page.getByRole('button', { name: 'Leave without copying' }).click();
  await table.getByText(/^Replaced, works until/).waitFor();

  await page.getByRole('button', { name: 'Actions for Billing' }).first().click();
  await page.getByRole('menuitem', { name: 'Revoke' }).click();
  await dialog.getByText('Never used.').waitFor();
  await ground.axe(page);
  await dialog.getByLabel('Reason').fill('Replaced');
  await dialog.getByRole('button', { name: 'Revoke live secret key' }).click();
  await page.getByText('Billing revoked.').waitFor();
  await page.getByRole('switch', { name: 'Show revoked' }).click();
  await table.getByText('Revoked', { exact: true }).first().waitFor();
});

test('a secret key can be renamed, and a replaced secret key links to the new key', async (t) => {
  const ground = await openGround(t);
  if (!ground) return;
  const { page, vendor, visit } = await ground.signIn();
  const owner = vendor.as.owner;
  const old = await owner('POST /v1/secret_keys', { env: 'live', name: 'Billing' });
  const next = await owner('POST /v1/secret_keys/{id}/rotate', { id: old.id, overlap_hours: 1 });
  await visit(`/w/${vendor.slug}/live/secret-keys/${old.id}`);
  await page.getByText(/^Replaced, works until/).waitFor();
  const facts = page.getByRole('definition');
  await facts.getByRole('link', { name: next.display_prefix }).click();
  await page.waitForURL(`**/secret-keys/${next.id}`);
  await facts.getByRole('link', { name: old.display_prefix }).waitFor();
  equal(await page.getByText(/^Replaced/).count(), 0);

  await page.getByRole('button', { name: 'Rename' }).click();
  const dialog = page.getByRole('dialog');
  const save = dialog.getByRole('button', { name: 'Save name' });
  equal(await save.getAttribute('aria-disabled'), 'true');
  await dialog.getByLabel('Name').fill('Invoices');
  await ground.axe(page);
  await save.click();
  await page.getByText('Name saved.').waitFor();
  await page.getByRole('heading', { name: 'Invoices' }).waitFor();
  equal((await owner('GET /v1/secret_keys/{id}', { id: next.id })).name, 'Invoices');

  await visit(`/w/${vendor.slug}/live/secret-keys`);
  await page.getByRole('button', { name: 'Actions for Invoices' }).click();
  await page.getByRole('menuitem', { name: 'Rename' }).click();
  await dialog.getByLabel('Name').fill(' ');
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'Invoices' }).waitFor({ state: 'detached' });
  equal((await owner('GET /v1/secret_keys/{id}', { id: next.id })).name, null);
});

test('a member sees secret keys but no controls to change them', async (t) => {
  const ground = await openGround(t);
  if (!ground) return;
  const { page, vendor, visit } = await ground.signIn({ role: 'member' });
  await visit(`/w/${vendor.slug}/test/secret-keys`);
  await page.getByRole('table', { name: 'Secret keys' }).waitFor();
  await page.getByText('As a member, you can').waitFor();
  equal(await page.getByRole('button', { name: /Actions|Create/ }).count(), 0);
});
