// Every dialog, sheet and menu is accessible in both themes, and Esc closes it and returns the
// focus to the control that opened it. Revoking, editing and rotating keys are tested elsewhere.
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { PASSWORD } from '@keyrail/testing/people.ts';
import type { Page } from 'playwright-core';
import { axeLayerFaults } from '../test/axe.ts';
import { heading, objectsOf } from '../test/every-screen.ts';
import { openGround } from '../test/ground.ts';
import { keyboardOf } from '../test/keyboard.ts';

const LAYERS = 'dialog[open], [data-popup]:visible';

/** Opens a dialog, sheet or menu with the keyboard, checks it, and closes it. */
async function look(page: Page, ...openers: [string, ...string[]]): Promise<void> {
  const { press, at } = keyboardOf(page);
  const layers = page.locator(LAYERS);
  const before = await layers.count();
  const [first, ...entries] = openers;
  await page.getByRole('button', { name: first }).first().focus();
  await press('Enter');
  for (const entry of entries) {
    await page.getByRole('menuitem', { name: entry }).focus();
    await press('Enter');
    await page.getByRole('menu').waitFor({ state: 'detached' });
  }
  await layers.nth(before).waitFor();
  deepEqual(await axeLayerFaults(page), [], openers.join(', '));
  await press('Escape');
  await layers.nth(before).waitFor({ state: 'detached' });
  await at(new RegExp(first));
}

test('every dialog, sheet and menu is accessible, closes with Esc and returns the focus', async (t) => {
  const ground = await openGround(t);
  if (!ground) return;
  const { page, vendor, visit } = await ground.signIn();
  const { named } = await objectsOf(vendor);
  const admin = await vendor.people.admin();
  const { keys, tenants, projects } = named('test');
  const open = async (path: string) => {
    await visit(`/w/${vendor.slug}/${path}`);
    await heading(page);
  };
  await open(`test/keys/${keys}`);
  await look(page, 'Disable');
  await look(page, 'Switch workspace');
  await look(page, `Account ${(await vendor.people.owner()).email}`);
  await open('test/keys');
  await look(page, 'Actions for Backend');
  await open('test/tenants');
  await look(page, 'Create tenant');
  await open(`test/tenants/${tenants}`);
  await look(page, 'Edit');
  await open('test/projects');
  await look(page, 'Create project');
  await open(`test/projects/${projects}`);
  await look(page, 'Edit');
  await look(page, 'Delete project');
  await open('members');
  await look(page, `Actions for ${admin.email}`, 'Change role');
  await look(page, 'Invite');
  await open('test/secret-keys');
  await look(page, 'Create test secret key');
  await look(page, 'Actions for krsk_test_', 'Narrow');
  await page.setViewportSize({ width: 390, height: 844 });
  await look(page, 'Open menu');

  // The dialog that shows the secret, and the confirmation on top of it.
  await page.getByRole('button', { name: 'Create test secret key' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Billing');
  await page.keyboard.press('Enter');
  await dialog.getByText('Copy it now.').waitFor();
  deepEqual(await axeLayerFaults(page), [], 'reveal');
  await look(page, 'I’ve stored it');
  equal(await page.locator(LAYERS).count(), 1, 'the secret is still shown');
});

test('the dialog that asks a user to sign in again stays open, no matter how many times Esc is pressed', async (t) => {
  const ground = await openGround(t);
  if (!ground) return;
  ground.expects(401);
  const { page, vendor, visit } = await ground.signIn();
  // On a busy machine, the browser is never idle, so the dialog's code isn't preloaded.
  await page.addInitScript('globalThis.requestIdleCallback = () => 0');
  const { press, type, at } = keyboardOf(page);
  const { call } = await vendor.people.owner();
  await visit(`/w/${vendor.slug}/test/keys`);
  await heading(page);
  await press('Control+k');
  await at('Search or jump to…');
  await call('DELETE /v1/auth/sessions/current');
  // The text is inserted in a single step, because the sign-in dialog takes the focus as soon as a
  // request is rejected.
  const loaded = Promise.withResolvers<void>();
  await page.route('**/assets/*.js', (route) => loaded.promise.then(() => route.fallback()));
  await Promise.all([page.waitForRequest('**/assets/*.js'), page.keyboard.insertText('anything')]);
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done)))');
  await at('Search or jump to…');
  loaded.resolve();
  const dialog = page.getByRole('dialog', { name: 'You’ve been signed out' });
  await dialog.waitFor();
  deepEqual(await axeLayerFaults(page), []);
  await dialog.getByLabel('Password', { exact: true }).fill('');
  for (let times = 0; times < 3; times += 1) {
    await press('Escape');
    await at('Password');
    equal(await dialog.count(), 1, 'the page stays covered');
  }
  await type(PASSWORD);
  await press('Enter');
  await dialog.waitFor({ state: 'detached' });
  await at('Search or jump to…');
});
