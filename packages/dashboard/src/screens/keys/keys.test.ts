// The key list and changes to keys, in the browser and on a real node.
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '@keyrail/testing/until.ts';
import { openGround } from '../../../test/ground.ts';
import { startNodes } from '../../../test/nodes.ts';

test('keys can be filtered, edited, rotated with an overlap, and revoked in bulk', async (t) => {
  const ground = await openGround(t);
  if (!ground) return;
  const { page, vendor, visit } = await ground.signIn();
  const first = await vendor.given.key({ name: 'Alpha', scopes: ['a:read', 'a:write'] });
  const { project_id, tenant_id } = first;
  for (const name of ['Beta', 'Gamma']) await vendor.given.key({ project_id, tenant_id, name });
  const place = { url: ground.origin, secretKey: vendor.tokens.liveKey, projectId: project_id };
  const [node] = await startNodes(t, ['fra'], place);
  const dialog = page.getByRole('dialog');
  const rows = page.getByRole('table').getByRole('row');

  await visit(`/w/${vendor.slug}/live/keys`);
  await page.getByRole('link', { name: 'Gamma' }).waitFor();
  await page.getByRole('searchbox').fill('alph');
  await page.getByRole('link', { name: 'Gamma' }).waitFor({ state: 'detached' });
  equal(new URL(page.url()).search, '?q=alph');
  equal(await rows.count(), 2);
  await page.getByRole('link', { name: 'Alpha' }).click();

  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  await dialog.getByRole('button', { name: 'Remove a:write' }).click();
  await dialog.getByText('This removes a:write.').waitFor();
  await dialog.getByText('Last used').waitFor();
  await ground.axe(page);
  const [patched] = await Promise.all([
    page.waitForRequest(
      (request) => request.method() === 'PATCH' && !request.url().includes('dry_run'),
    ),
    dialog.getByRole('button', { name: 'Save live key' }).click(),
  ]);
  deepEqual(patched.postDataJSON(), { scopes: ['a:read'] });
  await dialog.waitFor({ state: 'detached' });

  await page.getByRole('button', { name: 'Rotate' }).click();
  await dialog.getByRole('radio', { name: '1 h', exact: true }).check();
  await dialog.getByText('the new key works immediately').waitFor();
  await ground.axe(page);
  await dialog.getByRole('button', { name: 'Rotate live key' }).click();
  await dialog.getByText('The old key works until').waitFor();
  const successor = (await dialog.locator('code').first().textContent()) ?? '';
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Leave without copying' }).click();
  await until(() => node?.verify(successor).allowed === true);
  equal(node?.verify(first.key).allowed, true, 'the old key works during the overlap');
  await page.getByText('this key').waitFor();
  await page.getByText('Overlap:').waitFor();
  await page.getByRole('link', { name: 'Metadata' }).click();
  await page.getByRole('button', { name: 'Edit metadata' }).click();
  await page.getByLabel('JSON object').fill('{ "plan": ');
  await page.getByText('This isn’t valid JSON').first().waitFor();
  await page.getByLabel('JSON object').fill('{ "plan": "pro" }');
  await page.getByRole('button', { name: 'Save metadata' }).click();
  await page.getByText('"plan": "pro"').and(page.locator(':not(textarea)')).waitFor();
  await page.getByRole('main').getByRole('link', { name: 'Usage' }).click();
  await page.getByText('No requests in this period.').waitFor();
  await ground.axe(page);

  await visit(`/w/${vendor.slug}/live/keys`);
  for (const name of ['Beta', 'Gamma']) {
    await page.getByRole('checkbox', { name: `Select ${name}` }).check();
  }
  await page.getByRole('button', { name: 'Revoke', exact: true }).click();
  await dialog.getByLabel(`Type ${vendor.slug} to confirm`).fill(vendor.slug);
  await ground.axe(page);
  await dialog.getByRole('button', { name: 'Revoke 2 live keys' }).click();
  await dialog.getByText('2 of 2 keys done.').waitFor();
  await dialog.getByRole('button', { name: 'Close' }).last().click();
  await page.getByRole('link', { name: 'Gamma' }).waitFor({ state: 'detached' });

  const reader = await ground.signIn({ role: 'member', vendor });
  await reader.visit(`/w/${vendor.slug}/live/keys/${first.id}`);
  await reader.page.getByText('As a member, you can').waitFor();
  equal(await reader.page.getByRole('button', { name: /Revoke|Edit|Rotate/ }).count(), 0);
  ground.expects(404);
  await reader.visit(`/w/${vendor.slug}/live/keys/${project_id}`);
  await reader.page.getByRole('heading', { name: 'Key not found' }).waitFor();
});

test("the menu in a key's row opens Rotate and Explain, and a revoked key can be copied to a new one", async (t) => {
  const ground = await openGround(t);
  if (!ground) return;
  const { page, vendor, visit } = await ground.signIn();
  const limit = { id: 'burst', limit: 50, window_ms: 60_000, algorithm: 'sliding', scope: 'key' };
  const like = {
    name: 'Backend',
    scopes: ['a:read', 'a:write'],
    rate_limits: [limit],
    meta: { plan: 'pro' },
  };
  const { id, project_id, tenant_id } = await vendor.given.key(like);
  const { external_id } = await vendor.as.liveKey('GET /v1/tenants/{id}', { id: tenant_id });
  const row = page.getByRole('row', { name: /Backend/ });
  const choose = async (item: string) => {
    await page.getByRole('button', { name: 'Actions for Backend' }).click();
    await page.getByRole('menuitem', { name: item }).click();
  };

  // Names load after the keys. Until then, placeholders are shown.
  const names = Promise.withResolvers<void>();
  await page.route(/\/v1\/tenants\?/, (route) => names.promise.then(() => route.continue()));
  await visit(`/w/${vendor.slug}/live/keys`);
  await row.waitFor();
  await row.locator('[role=cell] > [aria-hidden=true][style]').first().waitFor();
  names.resolve();
  await row.getByRole('link', { name: external_id }).waitFor();

  await choose('Rotate');
  await page.getByRole('dialog').getByRole('button', { name: 'Rotate live key' }).waitFor();
  await page.keyboard.press('Escape');
  await choose('Explain');
  await page.waitForURL(`**/live/explain?key_id=${id}`);

  await vendor.as.liveKey('POST /v1/keys/{id}/revoke', { id });
  await visit(`/w/${vendor.slug}/live/keys/${id}`);
  await page.getByRole('link', { name: 'Create a key like this' }).waitFor();
  await visit(`/w/${vendor.slug}/live/keys?state=revoked`);
  await choose('Create a key like this');
  await page.getByText('Filled in from Backend. Its metadata is copied too.').waitFor();
  equal(await page.getByRole('combobox', { name: 'Project' }).inputValue(), 'Orders');
  equal(await page.getByRole('combobox', { name: 'Tenant' }).inputValue(), external_id);
  await ground.axe(page);
  await page.getByRole('button', { name: 'Create live key' }).click();
  await page.getByText('It won’t be shown again').waitFor();
  const [made] = (await vendor.as.liveKey('GET /v1/keys')).data;
  const { name, scopes, rate_limits, meta } = await vendor.as.liveKey('GET /v1/keys/{id}', {
    id: made?.id,
  });
  deepEqual({ name, scopes, rate_limits, meta }, like);
  deepEqual([made?.project_id, made?.tenant_id, made?.env], [project_id, tenant_id, 'live']);
});
