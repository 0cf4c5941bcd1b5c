// Everything can be done with the keyboard. Esc closes one layer at a time, and the focus is never
// lost.
import { equal } from 'node:assert/strict';
import { test } from 'node:test';
import { PASSWORD } from '@keyrail/testing/people.ts';
import type { Page } from 'playwright-core';
import { openGround, openVendor } from '../test/ground.ts';
import { keyboardOf } from '../test/keyboard.ts';

async function signIn(page: Page, email: string): Promise<void> {
  const { press, type, tabTo, at } = keyboardOf(page);
  await at('Email address');
  await type(email);
  await tabTo('Password');
  await type('wrong');
  await press('Enter');
  await page.getByText('Incorrect email address or password.').waitFor();
  await at('Password');
  await press('Control+a');
  await type(PASSWORD);
  await press('Enter');
}

async function createKey(page: Page): Promise<void> {
  const { press, type, tabTo, at } = keyboardOf(page);
  await page.getByRole('link', { name: 'Create key' }).waitFor();
  await press('c');
  await at('Create test key');
  await tabTo('Create test key');
  await press('Enter');
  await at('Project');
  await type('Bill');
  await page.getByRole('option', { name: /Billing API/ }).waitFor();
  await press('Enter', 'Tab');
  await at('Tenant');
  await type('umbrella');
  await page.getByRole('option', { name: 'Create tenant umbrella' }).waitFor();
  await press('Enter', 'ArrowDown', 'Enter');
  await page.getByText('lets umbrella call Billing API').waitFor();
  await tabTo(/^Name/);
  await type('Backend');
  await press('Tab');
  await type('invoices:read ');
  await press('Enter');
}

/**
 * Checks that Esc asks for confirmation before the secret is discarded, and that a second Esc
 * closes only the confirmation. Then copies the key.
 */
async function storeKey(page: Page): Promise<void> {
  const { press, tabTo, at } = keyboardOf(page);
  const leaving = page.getByRole('dialog', { name: 'Leave without copying?' });
  await at('Copy key');
  for (const round of [1, 2]) {
    await press('Escape');
    await leaving.waitFor();
    await press('Escape');
    await leaving.waitFor({ state: 'detached' });
    equal(await page.getByRole('dialog').count(), 1, `Esc closes one thing, round ${round}`);
    await at('Copy key');
  }
  await press('Enter');
  await at('Copied');
  await tabTo('I’ve stored it');
  await press('Enter');
}

test('a user signs in and creates, copies, rotates and revokes a key using only the keyboard', async (t) => {
  const ground = await openGround(t);
  if (!ground) return;
  ground.expects(401);
  const vendor = await openVendor(t);
  await vendor.given.project({ name: 'Billing API', slug: 'billing' });
  const { email } = await vendor.people.owner();
  const { page, visit } = await ground.visitor();
  const { press, tabTo, at } = keyboardOf(page);
  const dialog = page.getByRole('dialog');

  await visit(`/w/${vendor.slug}/test/keys`);
  await signIn(page, email);
  await at('Keys');
  await createKey(page);
  await storeKey(page);
  await at('Backend');
  for (const name of ['Edit', 'Rotate', 'Disable', 'Revoke test key']) {
    await tabTo(name);
    await press('Enter');
    await dialog.waitFor();
    for (let tabs = 0; tabs < 16; tabs += 1) await press('Tab');
    equal(await page.locator('dialog :focus').count(), 1, `${name} keeps the focus inside`);
    await press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await at(name);
  }
  await press('Shift+Tab', 'Shift+Tab', 'Enter');
  await tabTo('Rotate test key');
  await press('Enter');
  await at('Copy key');
  await press('Enter');
  await at('Copied');
  await press('Escape');
  await at('Backend');

  await tabTo('Revoke test key');
  await press('Enter');
  await tabTo('Revoke test key');
  await press('Enter');
  await page.getByText('No nodes are connected.').waitFor();
  await tabTo('Close');
  await press('Enter');
  await dialog.waitFor({ state: 'detached' });
  await page.getByText('Revoked', { exact: true }).first().waitFor();
  await at('Explain');
});

async function filterKeys(page: Page): Promise<void> {
  const { press, type, tabTo, at } = keyboardOf(page);
  const told = page.locator('[aria-live=polite]');
  await press('/');
  await type('ware');
  await told.filter({ hasText: 'Keys: 1 row' }).waitFor({ state: 'attached' });
  await press('Control+a', 'Delete');
  await told.filter({ hasText: 'Keys: 3 rows' }).waitFor({ state: 'attached' });
  await tabTo('State');
  await press('ArrowDown');
  await tabTo('Remove filter State');
  await press('Enter');
  await at('State');
  await press('ArrowDown');
  await tabTo('Clear filters');
  await press('Enter');
  equal(new URL(page.url()).search, '', 'all filters are removed');
}

async function openRowMenu(page: Page): Promise<void> {
  const { press, tabTo, at } = keyboardOf(page);
  const dialog = page.getByRole('dialog');
  const menu = page.getByRole('menu');
  await tabTo('Actions for Backend');
  await press('Enter');
  await at('Open');
  await press('ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowDown');
  await at('Disable');
  await press('Enter');
  await dialog.waitFor();
  await press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await at('Actions for Backend');
  await press('Enter');
  await at('Open');
  await press('Escape');
  await menu.waitFor({ state: 'detached' });
  await at('Actions for Backend');
  // Wait until the menu library has returned the focus a second time, a few frames later.
  await page.evaluate('new Promise((resolve) => requestIdleCallback(resolve))');
  await press('Enter');
  await at('Open');
  await press('ArrowDown', 'Enter');
  await at('Actions for Backend');
  await page.locator('[role=status]').getByText('ID copied.').waitFor();
  await tabTo('Dismiss');
  await press('Enter');
  await at('Keys');
}

async function readAudit(page: Page): Promise<void> {
  const { press, tabTo, at } = keyboardOf(page);
  const dialog = page.getByRole('dialog');
  await press('g', 'a');
  await at('Audit log');
  await press('/');
  await at('Target ID');
  await tabTo('Action');
  await press('ArrowDown');
  await tabTo('Remove filter Action');
  await press('Enter');
  await at('Action');
  await page.getByRole('link', { name: 'Entry 2', exact: true }).waitFor();
  await tabTo(/^Entry/);
  await press('j');
  const row = (await page.locator(':focus').getAttribute('aria-label')) ?? '';
  const leaves = { 'by Esc': () => press('Escape'), 'by Back': () => page.goBack() };
  for (const leave of Object.values(leaves)) {
    await press('Enter');
    await dialog.waitFor();
    await leave();
    await dialog.waitFor({ state: 'detached' });
    await at(row);
  }
}

test('lists, filters, menus and sheets can be used with the keyboard', async (t) => {
  const ground = await openGround(t);
  if (!ground) return;
  const { page, vendor, visit } = await ground.signIn();
  const project_id = (await vendor.given.project({ name: 'Billing API', slug: 'billing' })).id;
  for (const name of ['Warehouse', 'Importer', 'Backend']) {
    await vendor.given.key({ name, env: 'test', project_id });
  }
  const { press, at } = keyboardOf(page);
  await visit(`/w/${vendor.slug}/test/keys`);
  await page.getByRole('link', { name: 'Warehouse' }).waitFor();
  await press('Tab');
  await at('Skip to content');
  await press('Enter', 'Tab');
  await at('Create key');
  await press('j');
  await at('Backend');
  await press('j', 'j', 'k');
  await at('Importer');
  await filterKeys(page);
  await openRowMenu(page);
  await readAudit(page);
});
