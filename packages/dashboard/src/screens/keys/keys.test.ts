// Keys from creation to revocation, in the browser and on real nodes.
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { until } from '@keyrail/testing/until.ts';
import { createKeyrail } from '../../../../sdk/src/keyrail.ts';
import { openGround } from '../../../test/ground.ts';

type Place = { url: string; secretKey: string; projectId: string };

/** Nodes that follow the project, as the vendor runs them. */
async function startNodes(t: TestContext, names: readonly string[], place: Place) {
  const nodes = names.map((nodeName) =>
    createKeyrail({ ...place, nodeName, telemetry: false, log: () => {} }),
  );
  t.after(() => Promise.all(nodes.map((node) => node.close())));
  for (const node of nodes) equal(await node.ready(), true);
  return nodes;
}

test('a key is created, works on every node, and is refused by each while one watches', async (t) => {
  const ground = await openGround(t);
  if (!ground) return;
  const { page, vendor, visit } = await ground.signIn();
  const project = await vendor.given.project({ name: 'Payments' });
  const place = { url: ground.origin, secretKey: vendor.tokens.liveKey, projectId: project.id };
  const nodes = await startNodes(t, ['fra', 'iad', 'sin'], place);
  const dialog = page.getByRole('dialog');

  await visit(`/w/${vendor.slug}/live/keys`);
  await page.getByRole('heading', { name: 'No live keys yet' }).waitFor();
  await ground.axe(page);
  await page.getByRole('link', { name: 'Create key' }).click();
  await page.getByRole('button', { name: 'Create live key' }).click();
  await page.getByText('Choose or create a project.').waitFor();
  await page.getByRole('combobox', { name: 'Project' }).fill('Paym');
  await page.getByRole('option', { name: 'Payments' }).click();
  await page.getByRole('combobox', { name: 'Tenant' }).fill('globex');
  await page.getByRole('option', { name: 'Create tenant globex' }).click();
  await page.getByText('Your customer.').waitFor();
  await page.getByLabel('Name').fill('Backend');
  await page.getByRole('textbox', { name: 'Scopes' }).fill('invoices:read');
  await page.keyboard.press('Enter');
  await page.getByRole('radio', { name: '30 days' }).check();
  await page
    .getByText('The live key Backend lets globex call Payments, with invoices:read')
    .waitFor();
  await ground.axe(page);
  await page.getByRole('button', { name: 'Create live key' }).click();
  await dialog.getByText('It is shown this once').waitFor();
  const secret = (await dialog.locator('code').first().textContent()) ?? '';
  match(secret, /^kr_live_/);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Leave it' }).click();
  await page.getByRole('heading', { level: 1, name: 'Backend' }).waitFor();
  const shown: string = await page.evaluate('document.documentElement.outerHTML');
  ok(!shown.includes(secret), 'the key is gone from the page');

  await until(() => nodes.every((node) => node.verify(secret).allowed));
  await page.getByRole('button', { name: 'Revoke live key' }).click();
  await dialog.getByText('Live nodes').waitFor();
  equal(await dialog.locator('dd').last().textContent(), '3');
  await ground.axe(page);
  await dialog.getByLabel('Reason').fill('Leaked');
  await dialog.getByRole('button', { name: 'Revoke live key' }).click();
  await dialog.getByText(/^Refused everywhere after [\d,]+ ms$/).waitFor();
  deepEqual(
    nodes.map((node) => node.verify(secret).allowed),
    [false, false, false],
  );
  const lines = await dialog.getByRole('listitem').allTextContents();
  deepEqual(lines.map((line) => line.slice(0, 3)).sort(), ['fra', 'iad', 'sin']);
  for (const line of lines) match(line, /v\d+tov\d+[\d,]+ ms$/);
  await ground.axe(page);
  await dialog.getByRole('button', { name: 'Close' }).last().click();
  await page.getByText('Reason: Leaked').waitFor();
  await page.getByRole('link', { name: 'History' }).click();
  await page.getByText('revoked the key').waitFor();
  await ground.axe(page);
});

test('a node that does not answer is named, and a project without nodes says so', async (t) => {
  const ground = await openGround(t);
  if (!ground) return;
  const { page, vendor, visit } = await ground.signIn();
  const key = await vendor.given.key({ name: 'Watched' });
  const lonely = await vendor.given.key({ name: 'Lonely' });
  const place = { url: ground.origin, secretKey: vendor.tokens.liveKey, projectId: key.project_id };
  await startNodes(t, ['fra'], place);
  // It polls once and then never again.
  await vendor.as.liveKey('GET /v1/policy/delta', {
    project_id: key.project_id,
    since: 0,
    node: 'frozen',
  });
  const dialog = page.getByRole('dialog');

  await visit(`/w/${vendor.slug}/test/keys/${key.id}`);
  await page.waitForURL(`**/live/keys/${key.id}`);
  await page.getByRole('button', { name: 'Disable', exact: true }).click();
  await dialog.getByRole('button', { name: 'Disable live key' }).click();
  // The polls move the row of the node that answers, long before the answer itself.
  await dialog.getByText('applied').waitFor();
  await dialog.getByText(/^Refused by 1 of 2 nodes/).waitFor();
  match((await dialog.getByRole('listitem').last().textContent()) ?? '', /^frozen.*silent since/);
  await ground.axe(page);
  await dialog.getByRole('button', { name: 'Close' }).last().click();
  await page.getByRole('button', { name: 'Enable' }).click();
  await dialog.getByRole('button', { name: 'Enable live key' }).click();
  await page.getByText('Watched is enabled').waitFor();

  await visit(`/w/${vendor.slug}/live/keys/${lonely.id}`);
  await page.getByRole('button', { name: 'Revoke live key' }).click();
  await dialog.getByRole('button', { name: 'Revoke live key' }).click();
  await dialog.getByText('No node is connected. One that starts now learns it first.').waitFor();
});

test('keys are filtered, edited, rotated with an overlap, and ended several at once', async (t) => {
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
  await ground.axe(page);
  await page.getByRole('searchbox').fill('alph');
  await page.getByRole('link', { name: 'Gamma' }).waitFor({ state: 'detached' });
  equal(new URL(page.url()).search, '?q=alph');
  equal(await rows.count(), 2);
  await page.getByRole('link', { name: 'Alpha' }).click();

  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  await dialog.getByRole('button', { name: 'Remove a:write' }).click();
  await dialog.getByText('It loses a:write.').waitFor();
  await dialog.getByText('Last use').waitFor();
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
  await dialog.getByRole('radio', { name: '1 h' }).check();
  await dialog.getByText('the new key works from now on').waitFor();
  await ground.axe(page);
  await dialog.getByRole('button', { name: 'Rotate live key' }).click();
  await dialog.getByText('The old key works until').waitFor();
  const successor = (await dialog.locator('code').first().textContent()) ?? '';
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Leave it' }).click();
  await until(() => node?.verify(successor).allowed === true);
  equal(node?.verify(first.key).allowed, true, 'the old key works during the overlap');
  await page.getByText('this key').waitFor();
  await page.getByText('Both worked for').waitFor();
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
  await reader.page.getByText('Your role is member').waitFor();
  equal(await reader.page.getByRole('button', { name: /Revoke|Edit|Rotate/ }).count(), 0);
  ground.expects(404);
  await reader.visit(`/w/${vendor.slug}/live/keys/${project_id}`);
  await reader.page.getByRole('heading', { name: 'No such key' }).waitFor();
});
