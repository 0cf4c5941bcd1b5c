// A key is created, disabled, enabled and revoked, in the browser and on twenty real nodes.
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { type TestContext, test } from 'node:test';
import { verifyReceipt } from '@keyrail/client';
import { openProxy } from '@keyrail/testing/processes/proxy.ts';
import { until } from '@keyrail/testing/until.ts';
import type { Page } from 'playwright-core';
import { type Ground, openGround } from '../../../test/ground.ts';
import { startNodes } from '../../../test/nodes.ts';

const names = Array.from({ length: 19 }, (_, at) => `node-${at + 1}`);

type Place = { secretKey: string; projectId: string };

/** Starts a node whose responses can be held back, as if its process were stopped. */
async function startFrozen(t: TestContext, { origin }: Ground, place: Place) {
  const proxy = await openProxy(Number(new URL(origin).port));
  t.after(() => proxy.close());
  const url = `http://127.0.0.1:${proxy.port}`;
  const [node] = await startNodes(t, ['frozen'], { ...place, url });
  ok(node);
  return { node, proxy };
}

/** Creates a key through the form and returns its value, which then disappears from the page. */
async function createKey(page: Page): Promise<string> {
  const dialog = page.getByRole('dialog');
  await page.getByRole('link', { name: 'Create key' }).click();
  await page.getByRole('button', { name: 'Create live key' }).click();
  await page.getByText('Choose or create a project.').waitFor();
  await page.getByRole('combobox', { name: 'Project' }).fill('Paym');
  await page.getByRole('option', { name: 'Payments' }).click();
  await page.getByRole('combobox', { name: 'Tenant' }).fill('globex');
  await page.getByRole('option', { name: 'Create tenant globex' }).click();
  await page.getByText('It will be created together with the key.').waitFor();
  await page.getByLabel('Name').fill('Backend');
  await page.getByRole('textbox', { name: 'Scopes' }).fill('invoices:read');
  await page.keyboard.press('Enter');
  await page.getByRole('radio', { name: '30 days' }).check();
  await page
    .getByText('The live key Backend lets globex call Payments, with invoices:read')
    .waitFor();
  await page.getByRole('button', { name: 'Create live key' }).click();
  await dialog.getByText('It won’t be shown again').waitFor();
  const secret = (await dialog.locator('code').first().textContent()) ?? '';
  match(secret, /^kr_live_/);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Leave without copying' }).click();
  await page.getByRole('heading', { level: 1, name: 'Backend' }).waitFor();
  const shown: string = await page.evaluate('document.documentElement.outerHTML');
  ok(!shown.includes(secret), 'the key is gone from the page');
  return secret;
}

async function saveReceipt(page: Page): Promise<string> {
  await page.getByText('Signed receipt verified in this browser.').waitFor();
  const saved = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Save receipt' }).click();
  return readFile(await (await saved).path(), 'utf8');
}

const msIn = (line: string): number =>
  Number(/([\d,]+) ms$/.exec(line)?.[1]?.replace(',', '') ?? Number.NaN);

test('a key is created, disabled, enabled and revoked on twenty nodes, one of them frozen', async (t) => {
  const ground = await openGround(t);
  if (!ground) return;
  const { page, vendor, visit } = await ground.signIn();
  const project = await vendor.given.project({ name: 'Payments' });
  const place = { secretKey: vendor.tokens.liveKey, projectId: project.id };
  const nodes = await startNodes(t, names, { ...place, url: ground.origin });
  const frozen = await startFrozen(t, ground, place);
  const dialog = page.getByRole('dialog');
  const rows = dialog.getByRole('listitem');
  await visit(`/w/${vendor.slug}/live/keys`);
  await page.getByRole('heading', { name: 'No live keys yet' }).waitFor();
  const secret = await createKey(page);
  const all = [...nodes, frozen.node];
  const isAllowedBy = () => all.filter((node) => node.verify(secret).allowed).length;
  await until(() => isAllowedBy() === 20);

  // Disable the key. The dialog lists the nodes in the order they confirmed, each with its time.
  await page.getByRole('button', { name: 'Disable', exact: true }).click();
  await dialog.getByText('Live nodes').waitFor();
  equal(await dialog.locator('dd').last().textContent(), '20');
  await dialog.getByRole('button', { name: 'Disable live key' }).click();
  const everywhere = dialog.getByText(/^Rejected everywhere after [\d,]+ ms$/);
  await everywhere.waitFor();
  equal(isAllowedBy(), 0);
  const lines = await rows.allTextContents();
  equal(new Set(lines.map((line) => /^(frozen|node-\d+)/.exec(line)?.[0])).size, 20);
  for (const line of lines) match(line, /v\d+tov\d+[\d,]+ ms$/);
  const times = (await rows.locator('> span:last-child').allTextContents()).map(msIn);
  deepEqual(
    times,
    times.toSorted((a, b) => a - b),
    'in the order they confirmed',
  );
  equal(msIn((await everywhere.textContent()) ?? ''), times.at(-1), 'time of the last node');
  const receipt = await saveReceipt(page);
  const verdict = await verifyReceipt(
    receipt,
    await vendor.as.nobody('GET /.well-known/jwks.json'),
  );
  ok(verdict.valid);
  const { change, complete, nodes: stated } = verdict.claims;
  deepEqual([change, complete, stated.length], ['disabled', true, 20]);
  await dialog.getByRole('button', { name: 'Close' }).last().click();
  await page.getByRole('button', { name: 'Enable' }).click();
  await dialog.getByRole('button', { name: 'Enable live key' }).click();
  await page.getByText('Backend enabled').waitFor();
  await until(() => isAllowedBy() === 20);

  // Publish no signing keys, so that the page can't verify the next receipt.
  const jwks = '**/.well-known/jwks.json';
  await page.route(jwks, (route) => route.fulfill({ json: { keys: [] } }));

  // Revoke the key while one node is frozen. The others confirm while the clock runs.
  frozen.proxy.keepAnswers(true);
  await page.getByRole('button', { name: 'Revoke live key' }).click();
  await dialog.getByText('Live nodes').waitFor();
  await ground.axe(page);
  await dialog.getByLabel('Reason').fill('Leaked');
  await dialog.getByRole('button', { name: 'Revoke live key' }).click();
  await dialog.getByText('applied').nth(18).waitFor();
  match(await rows.filter({ hasText: 'frozen' }).innerText(), /waiting/);
  const clock = dialog.getByText(/^[\d,]+ ms$/).first();
  const early = msIn((await clock.textContent()) ?? '');
  await until(async () => msIn((await clock.textContent()) ?? '') > early);
  await dialog.getByText(/^Rejected by 19 of 20 nodes after [\d,]+ ms$/).waitFor();
  match((await rows.last().textContent()) ?? '', /^frozen.*last seen .*(ago|now)/);
  await dialog.getByText(/^At least one node .+ accepts? this key/).waitFor();
  deepEqual([isAllowedBy(), frozen.node.verify(secret).allowed], [1, true]);
  await dialog.getByText(/^Couldn’t verify the receipt\. The JWKS does not contain key /).waitFor();
  await page.unroute(jwks);
  await ground.axe(page);
  await dialog.getByRole('button', { name: 'Close' }).last().click();
  await page.getByText('Reason: Leaked').waitFor();
  // When the frozen node finally receives its responses, it rejects the key too.
  frozen.proxy.keepAnswers(false);
  frozen.proxy.cutAfter(null);
  await until(() => isAllowedBy() === 0);
});

test('when a key is revoked while no nodes are connected, the dashboard says so', async (t) => {
  const ground = await openGround(t);
  if (!ground) return;
  const { page, vendor, visit } = await ground.signIn();
  const dialog = page.getByRole('dialog');
  const lonely = await vendor.given.key({ name: 'Lonely' });
  await visit(`/w/${vendor.slug}/test/keys/${lonely.id}`);
  await page.waitForURL(`**/live/keys/${lonely.id}`);
  await page.getByRole('button', { name: 'Revoke live key' }).click();
  await dialog.getByRole('button', { name: 'Revoke live key' }).click();
  await dialog
    .getByText(
      'No nodes are connected. Any node that starts from now on will load this change before it verifies any keys.',
    )
    .waitFor();
});
