// Whatever their role, users never see a control that sends a request the server would reject.
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import type { Endpoint } from '@keyrail/protocol/endpoint.ts';
import { allEndpoints } from '@keyrail/protocol/endpoints/all.ts';
import type { Locator, Page } from 'playwright-core';
import { addressesOf, heading, objectsOf } from '../test/every-screen.ts';
import { openGround, openVendor } from '../test/ground.ts';
import { keyboardOf } from '../test/keyboard.ts';

const CONTROLS =
  'button:not([aria-disabled=true], [disabled], [role=tab], [aria-haspopup]):visible';
const CONTROLS_MAX = 25;
const MENUS = "document.querySelectorAll('main [aria-haspopup=menu]').length";
const OWNERS = /Only owners can/;
/** The text that explains why a page has no controls for making changes. */
const WHY = /As a member, you can|Your role doesn’t allow this/;
/** Screens that never have controls for making changes. */
const ONLY_SHOW = /\/(nodes|overview|usage|audit|audit\/1)$/;
const PASSES = /copy|download|export|shortcut|sign out/i;

const namesOf = (controls: Locator): Promise<string[]> =>
  controls.evaluateAll((all) =>
    all.map((one) => one.getAttribute('aria-label') ?? one.textContent ?? ''),
  );

/**
 * Presses each control on the screen, then Escape, and reopens the screen unless it looks the same
 * as before.
 */
async function pressControls(page: Page, again: () => Promise<unknown>): Promise<void> {
  const address = page.url();
  const dialogs = page.locator('dialog[open]');
  const shown = await dialogs.count();
  // While a dialog is open, only its controls can be pressed, because the page behind it is inert.
  const controls = page.locator(shown > 0 ? 'dialog[open]' : 'main').locator(CONTROLS);
  const names = await namesOf(controls);
  ok(names.length <= CONTROLS_MAX, `${address} has more controls than this test presses`);
  // The menus in the key manager preview aren't counted, because they are in its shadow root. They
  // only change sample data.
  equal(await page.evaluate(MENUS), 0, 'no actions menu');
  for (const [at, name] of names.entries()) {
    if (PASSES.test(name)) continue;
    const control = controls.nth(at);
    if (!(await control.isVisible())) continue;
    await control.click();
    await heading(page);
    await page.keyboard.press('Escape');
    const isSame =
      page.url() === address &&
      (await dialogs.count()) === shown &&
      isDeepStrictEqual(await namesOf(controls), names);
    if (!isSame) await again();
  }
}

/** Controls that only owners can use are disabled for other roles, and say why. */
async function meetOwnersActs(page: Page): Promise<void> {
  const { press, tabTo, at } = keyboardOf(page);
  await page.getByRole('button', { name: 'Invite' }).waitFor();
  await tabTo('Invite member');
  await press('Enter', 'c');
  equal(await page.locator(':focus').getAttribute('aria-disabled'), 'true');
  const reason = (await page.locator(':focus').getAttribute('aria-describedby')) ?? '';
  match((await page.locator(`[id="${reason}"]`).textContent()) ?? '', OWNERS);
  const menus = page.getByRole('button', { name: /^Actions for/ });
  equal(await menus.count(), 3, 'two members and an invitation');
  for (const menu of await menus.all()) {
    await menu.focus();
    const name = (await menu.getAttribute('aria-label')) ?? '';
    await press('Enter');
    for (const item of await page.getByRole('menuitem').all()) {
      equal(await item.getAttribute('aria-disabled'), 'true');
      match((await item.textContent()) ?? '', OWNERS);
      await press('Enter', 'ArrowDown');
    }
    await press('Escape');
    await at(name);
  }
  equal(await page.getByRole('dialog').count(), 0);
}

const SOURCES = globSync('**/*.{ts,tsx}', { cwd: import.meta.dirname })
  .filter((file) => !file.endsWith('.test.ts'))
  .map((file) => ({ file, text: readFileSync(join(import.meta.dirname, file), 'utf8') }));

test('only the members page has owner-only actions', () => {
  const all: Readonly<Record<string, Endpoint>> = allEndpoints;
  const owned = Object.entries(all).filter(([, { role }]) => role === 'owner');
  ok(owned.length > 0);
  for (const [line] of owned) {
    const files = SOURCES.filter(({ text }) => text.includes(`'${line}'`)).map(({ file }) => file);
    ok(files.length > 0, `${line} is used`);
    deepEqual(
      files.filter((file) => !file.startsWith('screens/members/')),
      [],
      line,
    );
  }
});

for (const role of ['admin', 'member'] as const) {
  test(`role ${role}: no control sends a request that the server rejects`, async (t) => {
    const ground = await openGround(t);
    if (!ground) return;
    ground.expects(400);
    const vendor = await openVendor(t);
    const objects = await objectsOf(vendor);
    await vendor.people.owner();
    await vendor.as.liveKey('POST /v1/invites', { email: 'new@example.com', role: 'member' });
    const { page, visit } = await ground.signIn({ role, vendor });
    const refused: string[] = [];
    const changes: string[] = [];
    page.on('response', (response) => {
      if (response.status() === 403) refused.push(`${page.url()}: ${response.url()}`);
    });
    page.on('request', (request) => {
      const isRead =
        request.method() === 'GET' || /dry_run=true|explain|current\/workspace/.test(request.url());
      if (!isRead) changes.push(`${page.url()}: ${request.method()} ${request.url()}`);
    });
    for (const { path, frame } of addressesOf(objects)) {
      if (frame !== 'workspace') continue;
      const open = async () => {
        await visit(path);
        return heading(page);
      };
      ok((await open()) !== 'Page not found', path);
      if (role === 'admin') continue;
      const says = (await page.locator('main').textContent()) ?? '';
      ok(WHY.test(says) || ONLY_SHOW.test(path), `${path} says why nothing can be changed`);
      await pressControls(page, open);
    }
    if (role === 'admin') {
      await visit(`/w/${vendor.slug}/members`);
      await meetOwnersActs(page);
    }
    deepEqual(refused, []);
    deepEqual(changes, [], 'no control sent a change');
  });
}
