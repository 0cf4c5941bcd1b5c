// Secret keys can be created for a purpose, limited to projects and networks, and narrowed. Before
// a key is narrowed, the dialog shows which permissions the key would lose.
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { openGround } from '../../../test/ground.ts';

/** Reads the secret that a dialog shows, and closes the dialog. */
async function takeSecret(page: Page): Promise<string> {
  const dialog = page.getByRole('dialog');
  await dialog.getByText('It won’t be shown again').waitFor();
  const secret = await dialog
    .getByText(/^krsk_live_/)
    .first()
    .textContent();
  await dialog.getByRole('button', { name: 'I’ve stored it' }).click();
  await page.getByRole('button', { name: 'Leave without copying' }).click();
  return secret ?? '';
}

test('a secret key can be limited when it is created, and each error is shown next to its field', async (t) => {
  const ground = await openGround(t);
  if (!ground) return;
  ground.expects(400);
  const { page, vendor, visit } = await ground.signIn();
  const { id } = await vendor.given.project({ name: 'Billing API', slug: 'billing' });
  await visit(`/w/${vendor.slug}/live/secret-keys`);
  const dialog = page.getByRole('dialog');
  const create = dialog.getByRole('button', { name: 'Create live secret key' });
  await page.getByRole('button', { name: 'Create live secret key' }).click();
  equal(await dialog.getByRole('radio', { name: 'A node that verifies keys' }).isChecked(), true);
  await dialog.getByRole('radio', { name: 'Custom', exact: true }).check();
  equal(await create.getAttribute('aria-disabled'), 'true');
  await dialog.getByRole('checkbox', { name: 'View API keys' }).check();
  await dialog.getByRole('checkbox', { name: 'Create embed tokens' }).check();
  await dialog.locator('summary', { hasText: 'Limits' }).click();
  await dialog.getByRole('combobox', { name: 'Projects' }).fill('billing');
  await page.getByRole('option', { name: 'Billing API' }).click();
  await dialog.getByRole('button', { name: 'Remove Billing API' }).waitFor();
  const networks = dialog.getByLabel('Networks');
  await networks.fill('127.0.0.0/8\n\n10.1.2.3/8');
  await ground.axe(page);
  await create.click();
  await dialog.getByText('Line 3: has bits after the length; did you mean 10.0.0.0/8?').waitFor();
  equal(await networks.getAttribute('aria-invalid'), 'true');
  await networks.fill('127.0.0.0/8\n10.0.0.0/8');
  await create.click();
  const secret = await takeSecret(page);
  const made = await vendor.as.token(secret)('GET /v1/secret_keys/current');
  deepEqual(
    [made.permissions, made.project_ids, made.networks],
    [['keys:read', 'embed:write'], [id], ['127.0.0.0/8', '10.0.0.0/8']],
  );

  // The key's own page describes the same permissions and limits in words.
  await page.getByRole('table').getByRole('link', { name: 'Unnamed secret key' }).first().click();
  await page.getByText('Only these permissions:').waitFor();
  await page.getByText('Create embed tokens').waitFor();
  await page.getByRole('link', { name: 'Billing API' }).waitFor();
  await page.getByText('10.0.0.0/8').waitFor();
  await ground.axe(page);
});

test('narrowing a secret key shows which permissions it loses, and warns about those it has used', async (t) => {
  const ground = await openGround(t);
  if (!ground) return;
  ground.expects(400, 403);
  const { page, vendor, visit } = await ground.signIn();
  const { id, key } = await vendor.as.owner('POST /v1/secret_keys', {
    env: 'live',
    name: 'Billing',
    profile: 'backend',
    networks: ['127.0.0.0/8'],
  });
  const call = vendor.as.token(key);
  await call('GET /v1/keys');
  await call('GET /v1/tenants');
  await visit(`/w/${vendor.slug}/live/secret-keys/${id}`);
  await page.getByText('What a backend needs to manage customers’ keys').waitFor();
  await page
    .getByText(/^Used (now|\d+ s ago)/)
    .first()
    .waitFor();
  await page.getByText('Not used in 30 days').first().waitFor();
  await page.getByRole('button', { name: 'Narrow' }).click();
  const dialog = page.getByRole('dialog');
  const narrow = dialog.getByRole('button', { name: 'Narrow live secret key' });
  equal(await narrow.getAttribute('aria-disabled'), 'true');

  await dialog.getByRole('checkbox', { name: 'View tenants' }).uncheck();
  const lost = dialog.getByRole('listitem');
  await lost.filter({ hasText: /View tenants, used/ }).waitFor();
  await dialog.getByText('Used in the last hour').waitFor();
  await dialog.getByRole('button', { name: 'Remove what it hasn’t used' }).click();
  await lost.filter({ hasText: 'Create embed tokens' }).waitFor();
  await dialog.getByRole('checkbox', { name: 'View tenants' }).check();
  await ground.axe(page);

  // The dry run rejects a wider network before anything has changed.
  await dialog.locator('summary', { hasText: 'Limits' }).click();
  await dialog.getByLabel('Networks').fill('0.0.0.0/0');
  await page.keyboard.press('Tab');
  await dialog.getByText('networks would allow more than before').waitFor();
  await dialog.getByLabel('Networks').fill('127.0.0.0/33');
  await page.keyboard.press('Tab');
  await dialog.getByText('Line 1: must be a CIDR block').waitFor();
  await dialog.getByLabel('Networks').fill('127.0.0.0/16');
  await narrow.click();
  await page.getByText('Billing narrowed.').waitFor();
  const { permissions, networks } = await call('GET /v1/secret_keys/current');
  deepEqual([permissions, networks], [['tenants:read', 'keys:read'], ['127.0.0.0/16']]);
  await page.getByText('Only these permissions:').waitFor();

  await visit(`/w/${vendor.slug}/audit`);
  await page.getByText('narrowed the networks and permissions of secret key').waitFor();
  await page.getByText('removing 5 permissions').waitFor();
});
