// Origins are validated as the user types, by the same rule as on the server. The embed code
// reflects the selected options.
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { openGround } from '../../../test/ground.ts';
import { isOrigin, originFault } from './origin.ts';

test('origins can be saved, and the embed code reflects the selected options', async (t) => {
  const ground = await openGround(t);
  if (!ground) return;
  const { page, vendor, visit } = await ground.signIn({ role: 'admin' });
  const { id } = await vendor.given.project({ name: 'Billing' });
  await visit(`/w/${vendor.slug}/embed`);
  const first = page.getByLabel('Origin 1');
  await first.fill('app.example.com');
  await page.getByText('Start with https://').waitFor();
  await first.fill('https://app.example.com/keys');
  await page.getByText('including any trailing slash').waitFor();
  await first.fill('https://app.example.com');
  await page.getByRole('button', { name: 'Add origin' }).click();
  await page.getByLabel('Origin 2').fill('http://intranet:8080');
  await page.getByText('Use for development only').waitFor();
  await page.getByRole('button', { name: 'Save origins' }).click();
  await page.getByText('Origins saved.').waitFor();
  const stored = async () => (await vendor.as.liveKey('GET /v1/workspace')).embed_origins;
  deepEqual(await stored(), ['https://app.example.com', 'http://intranet:8080']);
  await page.getByRole('button', { name: 'Remove http://intranet:8080' }).click();
  await page.getByText('Tokens will immediately stop working on http://intranet:8080.').waitFor();
  await ground.axe(page);
  await page.getByRole('button', { name: 'Save origins' }).click();
  await page.getByText('Tokens will immediately stop working').waitFor({ state: 'detached' });
  deepEqual(await stored(), ['https://app.example.com']);

  const code = page.getByRole('tabpanel');
  match((await code.textContent()) ?? '', /key_scope:invoices:read/);
  ok((await code.textContent())?.includes(id));
  await page.getByLabel('Environment').selectOption('test');
  await page.getByLabel('Create, rotate and revoke keys').uncheck();
  await page.getByRole('tab', { name: 'curl' }).click();
  match((await code.textContent()) ?? '', /"env":"test","scopes":\["keys:read"\]/);
  await page.getByRole('tab', { name: 'Page' }).click();
  match((await code.textContent()) ?? '', /\/widget\.js.*<keyrail-keys token-url/s);

  // The preview uses the real element with sample data. It reflects the selected options, and its
  // buttons work.
  const preview = page.locator('keyrail-keys');
  await preview.getByText('Test mode').waitFor();
  equal(await preview.getByRole('button', { name: 'Create key' }).count(), 0);
  await page.getByLabel('Environment').selectOption('live');
  await page.getByLabel('Create, rotate and revoke keys').check();
  await preview.getByRole('button', { name: 'Create key' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill('Tried out');
  await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
  await page.getByRole('button', { name: 'Copy key' }).waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  await preview.getByText('Tried out', { exact: true }).waitFor();
  await page.getByRole('radio', { name: 'Phone' }).check();
  await page.getByRole('radio', { name: 'Dark' }).check();
  await page.getByRole('radio', { name: 'Deutsch' }).check();
  await preview.getByText('API-Schlüssel').waitFor();
  const facts = await preview.evaluate((one: Element) => [
    one.getAttribute('theme'),
    one.clientWidth,
  ]);
  equal(facts[0], 'dark');
  ok(Number(facts[1]) <= 390, 'as wide as a phone');
});

test('the page accepts the same origins as the server', async (t) => {
  const ground = await openGround(t);
  if (!ground) return;
  const { vendor } = await ground.signIn();
  const typed = [
    'https://a.example',
    'https://a.example/',
    'a.example',
    'http://b:80',
    'http://b:x',
  ];
  for (const origin of typed) {
    const line = 'PATCH /v1/workspace';
    const headers = { authorization: `Bearer ${vendor.tokens.liveKey}` };
    const { status } = await vendor.ask(line, { embed_origins: [origin] }, headers);
    equal(isOrigin(origin), status === 200, origin);
    equal(originFault(origin, []) === null, status === 200, origin);
  }
});
