// Webhook endpoints: adding, testing, retrying, rotating, disabling and removing them.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { openReceiver } from '@keyrail/testing/webhook-receiver.ts';
import { openGround } from '../../../test/ground.ts';

test('an endpoint can be added, tested, disabled and removed, and its signing secret can be rotated', async (t) => {
  const ground = await openGround(t);
  if (!ground) return;
  const receiver = await openReceiver(t);
  const { host } = new URL(receiver.url);
  const { page, vendor, visit } = await ground.signIn();
  await visit(`/w/${vendor.slug}/webhooks`);
  await page.getByText('No endpoints yet', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Add endpoint' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('URL').fill(receiver.url);
  await ground.axe(page);
  await dialog.getByRole('button', { name: 'Add endpoint' }).click();
  await dialog.getByText('It won’t be shown again').waitFor();
  const secret =
    (await dialog
      .getByText(/^whsec_/)
      .first()
      .textContent()) ?? '';
  ok(secret.length > 40);
  await dialog.getByRole('button', { name: 'I’ve stored it' }).click();
  await page.getByRole('button', { name: 'Leave without copying' }).click();
  const table = page.getByRole('table', { name: 'Endpoints' });
  await table.getByText('Enabled').waitFor();
  ok(!(await page.content()).includes(secret), 'the secret is removed when its dialog closes');

  await table.getByRole('button', { name: receiver.url }).click();
  await dialog.getByRole('button', { name: 'Send test event' }).click();
  await page.getByText('Test event delivered (status 204).').waitFor();
  const deliveries = page.getByRole('table', { name: 'Deliveries' });
  await deliveries.getByText('webhook.test', { exact: true }).waitFor();
  await ground.axe(page);
  equal(receiver.received.length, 1);
  await deliveries.getByRole('button', { name: 'Retry webhook.test' }).click();
  await page.getByText('Resending now.').waitFor();
  await page.keyboard.press('Escape');

  const actions = page.getByRole('button', { name: `Actions for ${host}` });
  await actions.click();
  await page.getByRole('menuitem', { name: 'Rotate secret' }).click();
  await dialog.getByRole('button', { name: 'Rotate signing secret' }).click();
  await dialog.getByRole('button', { name: 'I’ve stored it' }).click();
  await page.getByRole('button', { name: 'Leave without copying' }).click();
  await actions.click();
  await page.getByRole('menuitem', { name: 'Disable' }).click();
  await table.getByText('Disabled').waitFor();
  await actions.click();
  await page.getByRole('menuitem', { name: 'Remove' }).click();
  await dialog.getByRole('button', { name: 'Remove endpoint' }).click();
  await page.getByText('No endpoints yet', { exact: true }).waitFor();
});

test('an endpoint can receive all events, a group of events, or single events', async (t) => {
  const ground = await openGround(t);
  if (!ground) return;
  const { page, vendor, visit } = await ground.signIn();
  await visit(`/w/${vendor.slug}/webhooks`);
  await page.getByRole('button', { name: 'Add endpoint' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('URL').fill('http://127.0.0.1:1/hook');
  await dialog.getByRole('radio', { name: 'Selected events' }).check();
  const add = dialog.getByRole('button', { name: 'Add endpoint' });
  equal(await add.getAttribute('title'), 'Select at least one event.');
  await dialog.getByText('API keys', { exact: true }).click();
  await dialog.getByText('A leaked API key was quarantined.').waitFor();
  await dialog.getByRole('checkbox', { name: 'api_key.expiring' }).check();
  await dialog.getByRole('checkbox', { name: 'api_key.revoked' }).check();
  await dialog.getByText('2 selected').waitFor();
  await dialog.getByText('Secret keys', { exact: true }).click();
  await dialog
    .getByRole('group', { name: 'Secret keys' })
    .getByRole('checkbox', { name: 'All events in this group' })
    .check();
  ok(await dialog.getByRole('checkbox', { name: 'secret_key.rotated' }).isDisabled());
  await ground.axe(page);
  // Switching to all events and back restores the selected events.
  await dialog.getByRole('radio', { name: 'All events' }).check();
  await dialog.getByRole('radio', { name: 'Selected events' }).check();
  await add.click();
  await dialog.getByRole('button', { name: 'I’ve stored it' }).click();
  await page.getByRole('button', { name: 'Leave without copying' }).click();
  const [endpoint] = (await vendor.as.liveKey('GET /v1/webhook_endpoints')).data;
  deepEqual(endpoint?.events, ['api_key.expiring', 'api_key.revoked', 'secret_key.*']);

  await page.getByRole('button', { name: 'Actions for 127.0.0.1:1' }).click();
  await page.getByRole('menuitem', { name: 'Edit' }).click();
  await dialog.getByRole('checkbox', { name: 'api_key.revoked' }).uncheck();
  await dialog.getByRole('button', { name: 'Save endpoint' }).click();
  await dialog.waitFor({ state: 'detached' });
  const [changed] = (await vendor.as.liveKey('GET /v1/webhook_endpoints')).data;
  deepEqual(changed?.events, ['api_key.expiring', 'secret_key.*']);
});

test('a member sees endpoints and deliveries but no controls to change them', async (t) => {
  const ground = await openGround(t);
  if (!ground) return;
  const { page, vendor, visit } = await ground.signIn({ role: 'member' });
  const url = 'http://127.0.0.1:1/hook';
  await vendor.as.liveKey('POST /v1/webhook_endpoints', { url, events: ['*'] });
  await visit(`/w/${vendor.slug}/webhooks`);
  await page.getByText('As a member, you can').waitFor();
  await page.getByRole('button', { name: url }).click();
  await page.getByRole('table', { name: 'Deliveries' }).waitFor();
  equal(await page.getByRole('button', { name: /Actions|Add|test|Retry/ }).count(), 0);
});
