// A key's rate limits. An empty list is sent only for "Unlimited".
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { openGround } from '../../../test/ground.ts';

const rule = { id: 'requests', limit: 600, window_ms: 60_000, algorithm: 'sliding', scope: 'key' };

test('custom limits without a rule cannot be submitted, whether the key is new or already exists', async (t) => {
  const ground = await openGround(t);
  if (!ground) return;
  const { page, vendor, visit } = await ground.signIn();
  await vendor.given.project({ name: 'Billing API', default_rate_limits: [rule] });
  await vendor.given.tenant({ external_id: 'globex' });
  const rules = async () =>
    (await vendor.as.testKey('GET /v1/keys')).data.map(({ rate_limits }) => rate_limits);
  const sent: string[] = [];
  page.on('request', (request) => {
    if (['POST', 'PATCH'].includes(request.method())) sent.push(request.url());
  });
  const choice = (name: string) => page.getByRole('radio', { name, exact: true });
  const asks = page.getByRole('alert').getByText('Add a limit, or choose Unlimited.');

  await visit(`/w/${vendor.slug}/test/keys/new`);
  for (const [field, text] of Object.entries({ Project: 'Billing API', Tenant: 'globex' })) {
    await page.getByRole('combobox', { name: field }).fill(text);
    await page.getByRole('option', { name: text }).click();
  }
  await page.getByText('Currently at most 600 per 1 min per key, sliding window.').waitFor();
  await choice('Custom').check();
  const create = page.getByRole('button', { name: 'Create test key' });
  await create.click();
  await asks.waitFor();
  deepEqual(sent, []);
  equal(await page.getByText('"rate_limits"').count(), 0, 'the example has no list either');
  await choice('Unlimited').check();
  await page.getByText('No rate limits apply to this key').waitFor();
  await ground.axe(page);
  await create.click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'I’ve stored it' }).click();
  await page.getByRole('button', { name: 'Leave without copying' }).click();
  await page.getByText('Unlimited. No rate limits apply').waitFor();
  deepEqual(await rules(), [[]]);

  await page.getByRole('button', { name: 'Edit' }).click();
  equal(await choice('Unlimited').isChecked(), true);
  await choice('Custom').check();
  await dialog.getByLabel('Name').fill('Backend');
  sent.length = 0;
  await page.keyboard.press('Enter');
  const save = dialog.getByRole('button', { name: 'Save test key' });
  equal(await save.getAttribute('title'), 'Add a limit, or choose Unlimited.');
  await ground.axe(page);
  deepEqual(sent, []);
  await dialog.getByRole('button', { name: 'Add limit' }).click();
  await dialog.getByRole('spinbutton', { name: 'Requests' }).fill('50');
  await save.click();
  await dialog.waitFor({ state: 'detached' });
  deepEqual(await rules(), [[{ ...rule, limit: 50 }]]);
  await page.getByRole('button', { name: 'Edit' }).click();
  await choice('Project defaults').check();
  await save.click();
  await dialog.waitFor({ state: 'detached' });
  deepEqual(await rules(), [null]);
});
