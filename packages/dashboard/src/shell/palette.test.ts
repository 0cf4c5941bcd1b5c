// With the command palette and shortcuts, everything can be reached with the keyboard.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '@keyrail/testing/until.ts';
import type { Route } from 'playwright-core';
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
  for (const text of ['wareh', 'ehous', key.display_prefix, key.id]) {
    await run(text, /Warehouse/);
    await page.waitForURL(`**/test/keys/${key.id}`);
    await at('Warehouse');
    await page.goBack();
    await at('Create test key');
  }
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

test('the palette finds objects of every type by any part of their name, and shows a title and a subtitle', async (t) => {
  const ground = await openGround(t);
  if (!ground) return;
  const { page, vendor, visit } = await ground.signIn();
  const { given, as, slug } = vendor;
  const tenant = await given.tenant({ name: 'Globex Corporation', external_id: 'cust_1042' });
  const project = await given.project({ name: 'Zebra billing' });
  const key = await given.key({ name: 'Partner integration 381', env: 'live' });
  const secret = await as.liveKey('POST /v1/secret_keys', { env: 'live', name: 'Nightly deploy' });
  const member = await vendor.people.member();
  await as.liveKey('GET /v1/policy/snapshot', { project_id: project.id, node: 'edge-fra-07' });
  const { press, type, at } = keyboardOf(page);
  const keyNote = `Key · ${key.display_prefix} · Live`;
  const wanted: [string, string, string, string][] = [
    ['globex', 'Globex Corporation', 'Tenant · cust_1042', `test/tenants/${tenant.id}`],
    ['cust_1042', 'Globex Corporation', 'Tenant · cust_1042', `test/tenants/${tenant.id}`],
    ['integration', 'Partner integration 381', keyNote, `live/keys/${key.id}`],
    ['bra bil', 'Zebra billing', `Project · ${project.slug}`, `test/projects/${project.slug}`],
    [
      'deploy',
      'Nightly deploy',
      `Secret key · ${secret.display_prefix} · Live`,
      `live/secret-keys/${secret.id}`,
    ],
    [member.email.slice(2), member.email, 'Member', 'members'],
    ['fra-07', 'edge-fra-07', 'Node · Zebra billing', 'test/nodes'],
  ];
  for (const [text, title, note, path] of wanted) {
    await visit(`/w/${slug}/test/keys`);
    await page.getByRole('heading', { level: 1, name: 'Keys' }).waitFor();
    await press('Control+k');
    await at('Search or jump to…');
    await type(text);
    await page.getByRole('option', { name: `${title} ${note}` }).waitFor();
    if (text === 'globex') await ground.axe(page);
    await press('Enter');
    await page.waitForURL(`**/w/${slug}/${path}`);
  }

  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  await press('Control+k');
  await at('Search or jump to…');
  await type('gl');
  await page.getByText('No matches.').waitFor();
  ok(!asked.some((url) => url.includes('/v1/search')), 'two characters are not sent');
  await type('o');
  await page.getByRole('option', { name: /^Globex/ }).waitFor();
  ok(asked.some((url) => url.endsWith('/v1/search?q=glo')));
});

test('the palette searches when the user stops typing, one search at a time, and reports a failed search', async (t) => {
  const ground = await openGround(t);
  if (!ground) return;
  ground.expects(500);
  const { page, vendor, visit } = await ground.signIn();
  await vendor.given.tenant({ name: 'Globex Corporation' });
  await vendor.given.tenant({ name: 'Initech' });
  await visit(`/w/${vendor.slug}/test/keys`);
  await page.getByRole('heading', { level: 1, name: 'Keys' }).waitFor();
  const asked: (string | null)[] = [];
  const held = new Map<string | null, Route>();
  const error = { code: 'internal', message: 'An internal error occurred.' };
  await page.route('**/v1/search*', async (route) => {
    const q = new URL(route.request().url()).searchParams.get('q');
    asked.push(q);
    if (q === 'broken') await route.fulfill({ status: 500, json: { error } });
    else held.set(q, route);
  });
  const canceled: (string | null)[] = [];
  page.on('requestfailed', (request) => {
    const { pathname, searchParams } = new URL(request.url());
    if (pathname === '/v1/search') canceled.push(searchParams.get('q'));
  });
  await page.keyboard.press('Control+k');
  const input = page.getByRole('combobox', { name: 'Search or jump to…' });
  await input.evaluate(typeFast, ['glo', 'glob', 'globe', 'globex']);
  await until(() => held.has('globex'));
  deepEqual(asked, ['globex']);
  await page.getByText('Searching…').waitFor();

  await input.fill('initech');
  await until(() => held.has('initech'));
  deepEqual(canceled, ['globex']);
  await held.get('initech')?.continue();
  await page.getByRole('option', { name: /^Initech/ }).waitFor();
  await held.get('globex')?.continue();
  await page.waitForTimeout(300);
  equal(await page.getByRole('option').count(), 1);
  await page.getByRole('option', { name: /^Initech/ }).waitFor();

  await vendor.given.tenant({ name: 'Embassy' });
  await input.fill('emb');
  await until(() => held.has('emb'));
  const chosen = page.getByRole('option', { selected: true });
  equal(await chosen.textContent(), 'Go to Embed');
  await held.get('emb')?.continue();
  await page.getByRole('option', { name: /^Embassy/ }).waitFor();
  equal(await chosen.textContent(), 'Go to Embed', 'late results change what Enter runs');

  await input.fill('broken');
  await page.getByText('Couldn’t search this workspace.').waitFor();
  equal(await page.getByText('No matches.').count(), 0);
  await ground.axe(page);
});

/** Runs inside the page. Enters each text faster than anyone can type. */
async function typeFast(input: HTMLElement | SVGElement, texts: readonly string[]): Promise<void> {
  const { set } = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value') ?? {};
  for (const text of texts) {
    set?.call(input, text);
    input.dispatchEvent(new Event('input', { bubbles: true }));
    await new Promise((done) => setTimeout(done));
  }
}

test("the key list can be searched by any part of a key's name, or by the key's tenant", async (t) => {
  const ground = await openGround(t);
  if (!ground) return;
  const { page, vendor, visit } = await ground.signIn();
  const tenant = await vendor.given.tenant({ name: 'Globex', external_id: 'cust_1042' });
  await vendor.given.key({ name: 'Partner integration 381', tenant_id: tenant.id });
  await vendor.given.key({ name: 'Warehouse' });
  await visit(`/w/${vendor.slug}/live/keys`);
  await page.getByRole('link', { name: 'Warehouse' }).waitFor();
  for (const text of ['cust_1042', 'lobex', 'integration']) {
    await page.getByRole('searchbox', { name: 'Name, prefix, ID or tenant' }).fill(text);
    await page.getByRole('link', { name: 'Warehouse' }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Partner integration 381' }).waitFor();
  }
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
