// With the command palette and shortcuts, everything can be reached with the keyboard.
import { equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { openGround } from '../../test/ground.ts';
import { keyboardOf } from '../../test/keyboard.ts';

test('the palette opens pages, switches environments, and creates, finds and explains keys', async (t) => {
  const ground = await openGround(t);
  if (!ground) return;
  const { page, vendor, visit } = await ground.signIn();
  const key = await vendor.given.key({ name: 'Warehouse', env: 'test' });
  const { press, type, tabTo, at } = keyboardOf(page);
  const option = (name: string | RegExp) => page.getByRole('option', { name });
  /** Opens the palette, types, and runs the first result. */
  const run = async (text: string, result: string | RegExp) => {
    await press('Control+k');
    await at('Search or jump to…');
    await type(text);
    await option(result).waitFor();
    await press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  };
  await visit(`/w/${vendor.slug}/settings`);
  await page.getByLabel('Workspace name').waitFor();

  await tabTo(/^Search or jump to…/);
  await press('Enter');
  await at('Search or jump to…');
  await type('emb');
  await option('Go to Embed').waitFor();
  await ground.axe(page);
  await press('Escape');
  await at(/^Search or jump to…/);
  await run('emb', 'Go to Embed');
  await at('Embed');

  await press('Control+k');
  await at('Search or jump to…');
  await type('nothing like this');
  await page.getByText('No matches.').waitFor();
  await press('Escape');
  await at('Embed');
  await run('keys', 'Go to Keys');
  await at('Keys');
  await run('switch', 'Switch to Test');
  await page.waitForURL('**/test/keys');
  await at('Keys');
  await run('create', 'Create test key');
  await at('Create test key');
  for (const text of ['wareh', key.display_prefix, key.id]) {
    await run(text, /Warehouse/);
    await page.waitForURL(`**/test/keys/${key.id}`);
    await at('Warehouse');
    await page.goBack();
    await at('Create test key');
  }
  const tenant = await vendor.given.tenant({ name: 'Globex', external_id: 'cust_1042' });
  const project = await vendor.given.project({ name: 'Zebra billing' });
  for (const text of ['globe', 'cust_10']) {
    await run(text, /Globex/);
    await page.waitForURL(`**/test/tenants/${tenant.id}`);
    await at('Globex');
    await page.goBack();
    await at('Create test key');
  }
  await run('zebra', /Zebra billing/);
  await page.waitForURL(`**/test/projects/${project.slug}`);
  await page.goBack();
  await at('Create test key');
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  await run(key.key, 'Explain this key');
  await page.waitForURL('**/test/explain');
  ok(!asked.some((url) => url.includes(key.key)), 'no URL contains the key');

  await press('Control+k');
  await page.goBack();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await at('Create test key');
});

test('single-letter shortcuts are listed, are off while the user types, and can be turned off', async (t) => {
  const ground = await openGround(t);
  if (!ground) return;
  const { page, vendor, visit } = await ground.signIn();
  const { press, type, tabTo, at } = keyboardOf(page);
  const list = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await visit(`/w/${vendor.slug}/embed`);
  await page.getByRole('heading', { level: 1, name: 'Embed' }).waitFor();
  await page.keyboard.press('g');
  await page.keyboard.press('i');
  await at('Settings');
  await tabTo('Workspace name');
  await press('End');
  await type('gb?/c');
  equal(await page.getByLabel('Workspace name').inputValue(), 'Acmegb?/c');

  await press('Tab');
  await press('?');
  await list.waitFor();
  await ground.axe(page);
  await press('g', 'b');
  await tabTo('Single-letter shortcuts');
  await press('Space', 'Escape');
  await list.waitFor({ state: 'detached' });
  await at('Save name');
  await press('?', 'g', 'b');
  await press('Control+k');
  await at('Search or jump to…');
  await type('shortc');
  await page.getByRole('option', { name: 'Show keyboard shortcuts' }).waitFor();
  equal(new URL(page.url()).pathname, `/w/${vendor.slug}/settings`, 'no letter opened a page');
  await press('Enter');
  await list.waitFor();
  await tabTo('Single-letter shortcuts');
  await press('Space', 'Escape');
  await list.waitFor({ state: 'detached' });
  await press('g', 'b');
  await at('Embed');
});
