// Tenants are created, edited, and deleted after the impact has been shown.
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { lookupHash } from '@keyrail/protocol/wire/key-format.ts';
import { openGround } from '../../../test/ground.ts';

const LIVE_KEYS = 100;

test('a tenant can be created, edited and deleted', async (t) => {
  const ground = await openGround(t);
  if (!ground) return;
  const { page, vendor, visit } = await ground.signIn({ role: 'admin' });
  const dialog = page.getByRole('dialog');

  await visit(`/w/${vendor.slug}/live/tenants`);
  await page.getByRole('heading', { name: 'No tenants yet' }).waitFor();
  await page.getByRole('button', { name: 'Create tenant' }).click();
  await dialog.getByLabel('External ID').fill('org_globex');
  await dialog.getByLabel('Name').fill('Globex');
  await dialog.getByRole('button', { name: 'Create tenant' }).click();
  await page.getByRole('heading', { name: 'Globex', level: 1 }).waitFor();
  await page.getByText('No live keys.').waitFor();
  const id = page.url().split('/').at(-1) ?? '';

  await page.getByRole('button', { name: 'Edit' }).click();
  await dialog.getByLabel('Metadata').fill('{ "plan": ');
  await dialog.getByRole('button', { name: 'Save tenant' }).click();
  await dialog.getByText('This isn’t a valid JSON object.').waitFor();
  await dialog.getByLabel('Metadata').fill('{ "plan": "scale" }');
  await dialog.getByRole('button', { name: 'Save tenant' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByText('"plan": "scale"').waitFor();
  const { meta, name } = await vendor.as.liveKey('GET /v1/tenants/{id}', { id });
  deepEqual({ meta, name }, { meta: { plan: 'scale' }, name: 'Globex' });

  await page.getByRole('button', { name: 'Revoke all tokens' }).click();
  await dialog.getByRole('button', { name: 'Revoke all tokens' }).click();
  await dialog.waitFor({ state: 'detached' });
  equal((await vendor.as.liveKey('GET /v1/tenants/{id}', { id })).embed_epoch, 2);

  const project = await vendor.given.project();
  const place = { project_id: project.id, tenant_id: id };
  await vendor.given.key({ ...place, env: 'test' });
  const keys = Array.from({ length: LIVE_KEYS }, (_, at) => ({
    tenant_id: id,
    lookup_hash: lookupHash(`${id} ${at}`),
    display_prefix: 'old_',
  }));
  await vendor.as.liveKey('POST /v1/keys/import', { project_id: project.id, env: 'live', keys });
  await visit(`/w/${vendor.slug}/live/tenants/${id}`);
  await page.getByText('100 active of 100').waitFor();
  await ground.axe(page);
  await page.getByRole('button', { name: 'Delete tenant' }).click();
  await dialog.getByText('Active keys').waitFor();
  equal(await dialog.locator('dd').first().textContent(), '101');
  await ground.axe(page);
  // More than one live key would be revoked, so the user has to type the name.
  await dialog.getByLabel('Type Globex to confirm').fill('Globe');
  await page.keyboard.press('Enter');
  equal((await vendor.as.liveKey('GET /v1/tenants/{id}', { id })).id, id);
  await dialog.getByLabel('Type Globex to confirm').fill('Globex');
  await dialog.getByRole('button', { name: 'Delete tenant' }).click();
  await page.getByText('Globex deleted. 101 keys revoked.').waitFor();
  await page.getByRole('heading', { name: 'No tenants yet' }).waitFor();

  // With only one live key, the dialog shows the impact but doesn't ask for the name.
  const { tenant_id: other } = await vendor.given.key({ project_id: project.id });
  await visit(`/w/${vendor.slug}/live/tenants/${other}`);
  await page.getByRole('button', { name: 'Delete tenant' }).click();
  await dialog.getByText('Last used').waitFor();
  equal(await dialog.getByLabel(/^Type/).count(), 0);
  await dialog.getByRole('button', { name: 'Delete tenant' }).click();
  await page.getByText('1 key revoked.').waitFor();

  // If the keys can't be counted, there may be any number of them, so the name is required.
  const { tenant_id: third } = await vendor.given.key({ project_id: project.id });
  ground.expects(503);
  await page.route('**/v1/keys/counts*by=tenant*', (route) => route.fulfill({ status: 503 }));
  await visit(`/w/${vendor.slug}/live/tenants/${third}`);
  await page.getByRole('button', { name: 'Delete tenant' }).click();
  await dialog.getByLabel(/^Type .* to confirm$/).waitFor();
  await page.keyboard.press('Escape');

  ground.expects(404);
  await visit(`/w/${vendor.slug}/live/tenants/${id}`);
  await page.getByRole('heading', { name: 'Tenant not found' }).waitFor();
});

test('a member can find a tenant but not change it', async (t) => {
  const ground = await openGround(t);
  if (!ground) return;
  const { page, vendor, visit } = await ground.signIn({ role: 'member' });
  const tenant = await vendor.given.tenant({ external_id: 'org_hooli', name: 'Hooli' });
  await vendor.given.tenant({ external_id: 'org_initech', name: 'Initech' });
  await vendor.given.key({ tenant_id: tenant.id, env: 'test' });

  await visit(`/w/${vendor.slug}/test/tenants`);
  await page.getByRole('row', { name: /Initech/ }).waitFor();
  await page.getByRole('searchbox', { name: 'Name or external ID' }).fill('hoo');
  await page.waitForURL('**/tenants?q=hoo');
  await page.getByRole('row', { name: /Initech/ }).waitFor({ state: 'detached' });
  await page.getByRole('row', { name: /Hooli org_hooli .* 1$/ }).waitFor();
  await page.getByRole('link', { name: 'Hooli' }).click();
  await page.getByText('1 active of 1').waitFor();
  await page.getByText('As a member, you can').waitFor();
  for (const name of ['Edit', 'Delete tenant', 'Revoke all tokens']) {
    equal(await page.getByRole('button', { name }).count(), 0, name);
  }
  await page.goBack();
  await page.waitForURL('**/tenants?q=hoo');
});
