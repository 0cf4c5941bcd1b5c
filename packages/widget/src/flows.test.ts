// Everything that a tenant's user can do, in a real browser with the real server. The vendor's page
// is on a different origin and has a strict content security policy.
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { batchOf, eventOf } from '@keyrail/testing/telemetry.ts';
import { until } from '@keyrail/testing/until.ts';
import type { Page } from 'playwright-core';
import { axe } from '../test/axe.ts';
import { openSite, type Site } from '../test/ground.ts';

const ACTIONS = /^Actions for/;

const choose = async (page: Page, at: 'first' | 'last', item: string): Promise<void> => {
  const buttons = page.getByRole('button', { name: ACTIONS });
  await (at === 'first' ? buttons.first() : buttons.last()).click();
  await page.getByRole('menuitem', { name: item }).click();
};

/** The focused element inside the widget. */
const focused = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const inside = document.activeElement?.shadowRoot?.activeElement;
    return inside?.getAttribute('aria-label') ?? inside?.textContent ?? '';
  });

/** Waits until this element has the focus, which may only move after the dialog has closed. */
const hasFocus = (page: Page, name: RegExp): Promise<void> =>
  until(async () => name.test(await focused(page)));

const shownIn = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const root = document.querySelector('keyrail-keys')?.shadowRoot;
    return `${root?.innerHTML} ${document.documentElement.outerHTML} ${location.href}`;
  });

const stored = async ({ vendor, tenantId }: Site) =>
  (await vendor.as.liveKey('GET /v1/keys', { tenant_id: tenantId })).data;

test('a tenant creates, copies, rotates and revokes a key', async (t) => {
  const site = await openSite(t);
  if (!site) return;
  await site.open();
  await site.page.getByText('No keys yet').waitFor();
  await axe(site.page);
  await creates(site);
  await copies(site);
  const [first] = await stored(site);
  deepEqual([first?.name, first?.scopes], ['Website', ['invoices:read']]);
  await rotates(site);
  await looksAtUsage(site);
  await revokes(site);
  const events = await site.events();
  deepEqual(
    events.map(([name]) => name),
    ['ready', 'created', 'rotated', 'revoked'],
  );
  deepEqual(events[1]?.[1], {
    id: first?.id,
    display_prefix: first?.display_prefix,
    name: 'Website',
  });
  equal(/kr_live_\w{20}|eyJ/.test(JSON.stringify(events)), false, 'no key and no token');
  equal(site.asked(), 1, 'one token was enough');
});

/**
 * Creates a key. The user can choose among the scopes that the token grants, and must choose at
 * least one.
 */
async function creates(site: Site): Promise<void> {
  const { page } = site;
  const dialog = page.getByRole('dialog');
  await page.getByRole('button', { name: 'Create key' }).click();
  await dialog.getByRole('checkbox').nth(1).waitFor();
  equal(await dialog.getByRole('checkbox').count(), 2);
  await dialog.getByLabel('Name').fill('Website');
  await page.keyboard.press('Enter');
  await dialog.getByText('Choose at least one option.').waitFor();
  deepEqual(await stored(site), [], 'nothing was sent');
  await dialog.getByLabel('invoices:read').check();
  await axe(page);
  await dialog.getByRole('button', { name: 'Create key' }).click();
}

/** Copies the new key, which is shown once and removed when its dialog closes. */
async function copies({ page }: Site): Promise<void> {
  const dialog = page.getByRole('dialog');
  const copy = dialog.getByRole('button', { name: 'Copy key' });
  await copy.waitFor();
  await hasFocus(page, /Copy key/);
  const keyText = (await dialog.locator('[part=secret] code').textContent()) ?? '';
  match(keyText, /^kr_live_[\w-]{20,}/);
  await axe(page);
  await page.keyboard.press('Escape');
  await dialog.getByText('You haven’t copied this key').waitFor();
  await copy.click();
  await dialog.getByRole('button', { name: 'Copied' }).waitFor();
  equal(await page.evaluate(() => navigator.clipboard.readText()), keyText);
  await dialog.getByRole('button', { name: 'I’ve stored it' }).click();
  await dialog.waitFor({ state: 'detached' });
  await hasFocus(page, /Create key/);
  equal((await shownIn(page)).includes(keyText), false, 'the key is nowhere in the page');
}

/** Rotates the key. Both keys work until the overlap ends. */
async function rotates(site: Site): Promise<void> {
  const { page } = site;
  const dialog = page.getByRole('dialog');
  await choose(page, 'first', 'Rotate');
  await dialog.getByLabel('In 3 days').check();
  await dialog.getByText('After that, only the new one does.').waitFor();
  await axe(page);
  await dialog.getByRole('button', { name: 'Rotate key' }).click();
  await dialog.getByText('The old key works until').waitFor();
  await page.keyboard.press('Escape');
  await dialog.getByText('You haven’t copied this key').waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await page.getByText('Replaced, works until').waitFor();
}

/** Views the usage that nodes have reported, as a chart and as a table. */
async function looksAtUsage(site: Site): Promise<void> {
  const { page, vendor } = site;
  const dialog = page.getByRole('dialog');
  const newKey = (await stored(site)).find(({ rotated_from }) => rotated_from !== null);
  ok(newKey, 'the server has the new key');
  const at = vendor.clock.now();
  const events = [eventOf(newKey, at), eventOf(newKey, at, { status: 500 })];
  await vendor.as.liveKey('POST /v1/ingest/batch', batchOf(events));
  await choose(page, 'first', 'Usage');
  await dialog.locator('figcaption', { hasText: '2 requests, 1 with errors' }).waitFor();
  await axe(page);
  await dialog.getByRole('button', { name: 'Table' }).click();
  equal(await dialog.getByRole('row').count(), 31, 'a row for each of 30 days');
  await dialog.getByRole('button', { name: 'Close' }).last().click();
  await dialog.waitFor({ state: 'detached' });
}

/** Revokes a key using only the keyboard. The focus isn't lost when the key's row is removed. */
async function revokes({ page }: Site): Promise<void> {
  const dialog = page.getByRole('dialog');
  await page.getByRole('button', { name: ACTIONS }).last().focus();
  await page.keyboard.press('Enter');
  await page.getByRole('menuitem', { name: 'Revoke' }).waitFor();
  await page.keyboard.press('End');
  await page.keyboard.press('Enter');
  await dialog.getByText('Revoke Website?').waitFor();
  await axe(page);
  await dialog.getByRole('button', { name: 'Revoke key' }).click();
  await dialog.waitFor({ state: 'detached' });
  await hasFocus(page, /API keys/);
  equal(await page.getByRole('button', { name: ACTIONS }).count(), 1);
  await page.getByLabel('Show revoked keys').check();
  await page.getByRole('cell', { name: 'Revoked' }).waitFor();
  await axe(page);
}

test('the list loads page by page, and offers only the actions that both the token and the page allow', async (t) => {
  const site = await openSite(t);
  if (!site) return;
  const { page, vendor, tenantId, projectId } = site;
  const place = { project_id: projectId, tenant_id: tenantId };
  for (let made = 0; made < 12; made += 1) await vendor.given.key({ ...place, name: `K${made}` });
  await vendor.given.key({ ...place, name: 'Wide', scopes: ['admin'] });
  site.serve('<keyrail-keys token-url="/token" page-size="10"></keyrail-keys>');
  await site.open();
  await page.getByText('10 most recent keys').waitFor();
  await page.getByRole('button', { name: 'Show more' }).click();
  await page.getByText('13 keys').waitFor();
  equal(await page.getByRole('button', { name: ACTIONS }).count(), 13);
  await page.getByRole('button', { name: 'Actions for Wide' }).click();
  const rotate = page.getByRole('menuitem', { name: 'Rotate' });
  equal(await rotate.getAttribute('aria-disabled'), 'true');
  match((await rotate.textContent()) ?? '', /permissions that can’t be granted from this page/);
  await page.keyboard.press('Escape');

  // Without the scope keys:write, there are no controls for making changes.
  site.answer(() => site.mint({ env: 'test', scopes: ['keys:read'] }));
  await vendor.as.testKey('POST /v1/keys', { ...place, env: 'test', name: 'Trial' });
  await site.open();
  await page.getByText('Test mode').waitFor();
  await page.getByText('You can view these keys but not change them.').waitFor();
  equal(await page.getByRole('button', { name: 'Create key' }).count(), 0);
  await page.getByRole('button', { name: 'Actions for Trial' }).click();
  deepEqual(await page.getByRole('menuitem').allTextContents(), ['Usage']);
  await page.keyboard.press('Escape');
  await axe(page);
  await page.evaluate(() => {
    const element = document.querySelector('keyrail-keys');
    Reflect.get(element ?? {}, 'openCreate').call(element);
  });
  equal(await page.getByRole('dialog').count(), 0);
  deepEqual((await site.events())[0], ['ready', { scopes: ['keys:read'], test_mode: true }]);

  // The page can prevent changes even if the token would allow them.
  site.answer(() => site.mint({ env: 'test' }));
  site.serve('<keyrail-keys token-url="/token" readonly></keyrail-keys>');
  await site.open();
  await page.getByRole('button', { name: 'Actions for Trial' }).waitFor();
  equal(await page.getByRole('button', { name: 'Create key' }).count(), 0);
  await page.evaluate(() => document.querySelector('keyrail-keys')?.removeAttribute('readonly'));
  await page.getByRole('button', { name: 'Create key' }).waitFor();
});

test('a menu closes when its button moves, but not on the delayed event of a scroll that ended before the menu opened', async (t) => {
  const site = await openSite(t);
  if (!site) return;
  const { page, vendor, tenantId, projectId } = site;
  await vendor.given.key({ project_id: projectId, tenant_id: tenantId, name: 'Website' });
  await site.open();
  await page.evaluate(() => {
    document.body.style.padding = '2000px 0';
  });
  const button = page.getByRole('button', { name: ACTIONS });
  const menu = page.getByRole('menu');
  await button.waitFor();
  await button.evaluate((element: HTMLElement) => {
    element.scrollIntoView();
    element.click();
  });
  await menu.waitFor();
  await page.evaluate('new Promise((resolve) => requestIdleCallback(resolve))');
  equal(await menu.isVisible(), true);
  await page.evaluate(() => scrollBy(0, -50));
  await menu.waitFor({ state: 'detached' });
});
