// No role meets a control that the server refuses to it.
import { deepEqual, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import type { Locator, Page } from 'playwright-core';
import { addressesOf, heading, objectsOf } from '../test/every-screen.ts';
import { openGround, openVendor } from '../test/ground.ts';

const CONTROLS =
  'button:not([aria-disabled=true], [disabled], [role=tab], [aria-haspopup]):visible';
const CONTROLS_MAX = 25;
const PASSES = /copy|download|export|shortcut|end .*session/i;

const namesOf = (controls: Locator): Promise<string[]> =>
  controls.evaluateAll((all) =>
    all.map((one) => one.getAttribute('aria-label') ?? one.textContent ?? ''),
  );

/** Presses each control of the screen; opens the screen again unless Escape undoes the press. */
async function pressControls(page: Page, again: () => Promise<unknown>): Promise<void> {
  const address = page.url();
  const dialogs = page.locator('dialog[open]');
  const shown = await dialogs.count();
  // Behind an open dialog the page is inert.
  const controls = page.locator(shown > 0 ? 'dialog[open]' : 'main').locator(CONTROLS);
  const names = await namesOf(controls);
  for (const [at, name] of names.slice(0, CONTROLS_MAX).entries()) {
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

for (const role of ['admin', 'member'] as const) {
  test(`a ${role} meets no control that is refused`, async (t) => {
    const ground = await openGround(t);
    if (!ground) return;
    ground.expects(400);
    const vendor = await openVendor(t);
    const objects = await objectsOf(vendor);
    const { page, visit } = await ground.signIn({ role, vendor });
    const refused: string[] = [];
    const changes: string[] = [];
    page.on('response', (response) => {
      if (response.status() === 403) refused.push(`${page.url()}: ${response.url()}`);
    });
    page.on('request', (request) => {
      const isRead = request.method() === 'GET' || /explain|current\/workspace/.test(request.url());
      if (!isRead) changes.push(`${page.url()}: ${request.method()} ${request.url()}`);
    });
    for (const { path, frame } of addressesOf(objects)) {
      if (frame !== 'workspace') continue;
      const open = async () => {
        await visit(path);
        return heading(page);
      };
      ok((await open()) !== 'No such page', path);
      if (role === 'member') await pressControls(page, open);
    }
    deepEqual(refused, []);
    if (role === 'member') deepEqual(changes, [], 'a member has no control that changes something');
  });
}
