// Dashboard pages adapt to zoom, wider text spacing, forced colours and reduced motion.
import { deepEqual, equal, notEqual, ok } from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { heading, objectsOf } from '../test/every-screen.ts';
import { openGround } from '../test/ground.ts';
import { keyboardOf } from '../test/keyboard.ts';

/** Applies the WCAG 1.4.12 text spacing, as a user style sheet would. */
const WIDER_TEXT = `(() => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(\`* { line-height: 1.5 !important; letter-spacing: 0.12em !important;
    word-spacing: 0.16em !important; } p { margin-bottom: 2em !important; }\`);
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
})()`;

/** Finds controls and headings whose text is cut off, except where an ellipsis is intended. */
const CUT_OFF = `[...document.querySelectorAll('button, h1, h2, label, [role=columnheader], td, dt')]
  .filter((one) => one.checkVisibility() && getComputedStyle(one).overflow !== 'visible'
    && !one.matches('.unseen') && !one.closest('.unseen')
    && getComputedStyle(one).textOverflow !== 'ellipsis'
    && (one.scrollWidth > one.clientWidth + 1 || one.scrollHeight > one.clientHeight + 1))
  .map((one) => one.textContent)`;

const sideways = (page: Page): Promise<number> =>
  page.evaluate('Math.max(0, document.documentElement.scrollWidth - innerWidth)');

/** Fails if a button in the open dialog cannot be scrolled into view. */
async function reachable(page: Page, name: string): Promise<void> {
  const button = page.getByRole('dialog').getByRole('button', { name });
  await button.scrollIntoViewIfNeeded();
  const box = await button.boundingBox();
  const { width = 0, height = 0 } = page.viewportSize() ?? {};
  ok(box && box.x >= 0 && box.y >= 0, `${name} is in view`);
  ok(box.x + box.width <= width && box.y + box.height <= height, `${name} is in view`);
}

test('nothing is cut off at high zoom or with wide text spacing, and nothing moves with reduced motion', async (t) => {
  const ground = await openGround(t);
  if (!ground) return;
  const { page, vendor, visit } = await ground.signIn();
  const { keys } = (await objectsOf(vendor)).named('test');
  await page.emulateMedia({ reducedMotion: 'reduce' });
  const paths = ['test/overview', `test/keys/${keys}`, 'test/keys/new', 'members', 'audit/1'];
  for (const path of paths) {
    await page.setViewportSize({ width: 1440, height: 900 });
    await visit(`/w/${vendor.slug}/${path}`);
    await heading(page);
    equal(await page.evaluate('document.getAnimations().length'), 0, `${path} does not move`);
    // The viewports of a 1440 x 900 window at 200% and 400% zoom.
    for (const [width, height] of [[720, 450] as const, [360, 225] as const]) {
      await page.setViewportSize({ width, height });
      equal(await sideways(page), 0, `${path} at ${width} px`);
    }
    await page.evaluate(WIDER_TEXT);
    for (const width of [320, 1440]) {
      await page.setViewportSize({ width, height: 900 });
      equal(await sideways(page), 0, `${path} with wider text at ${width} px`);
      deepEqual(await page.evaluate(CUT_OFF), [], `${path} with wider text at ${width} px`);
    }
  }
  await visit(`/w/${vendor.slug}/test/keys/${keys}`);
  await page.setViewportSize({ width: 360, height: 225 });
  await page.getByRole('button', { name: 'Revoke test key' }).click();
  await page.getByRole('dialog').getByText('Last used').waitFor();
  equal(await page.evaluate('document.getAnimations().length'), 0, 'the dialog does not move');
  await reachable(page, 'Revoke test key');
  await reachable(page, 'Close');
});

const STYLE = (on: HTMLElement | SVGElement) => {
  const { backgroundColor, borderTopWidth, borderTopColor, outlineStyle } = getComputedStyle(on);
  return { backgroundColor, borderTopWidth, borderTopColor, outlineStyle };
};

test('states, borders and focus stay visible with forced colours', async (t) => {
  const ground = await openGround(t);
  if (!ground) return;
  const { page, vendor, visit } = await ground.signIn();
  const { keys } = (await objectsOf(vendor)).named('test');
  const { press, tabTo } = keyboardOf(page);
  await page.emulateMedia({ forcedColors: 'active' });
  const open = async (path: string) => {
    await visit(path.startsWith('/') ? path : `/w/${vendor.slug}/${path}`);
    await heading(page);
  };
  const differ = async (chosen: string, other: string) => {
    const style = await page.locator(chosen).first().evaluate(STYLE);
    notEqual(
      style.backgroundColor,
      (await page.locator(other).first().evaluate(STYLE)).backgroundColor,
      `${chosen} differs from ${other}`,
    );
  };
  const focusShows = async (name: string | RegExp) => {
    await tabTo(name);
    equal((await page.locator(':focus').evaluate(STYLE)).outlineStyle, 'solid', `${name}`);
  };
  const bordered = async (selector: string) => {
    const style = await page.locator(selector).first().evaluate(STYLE);
    ok(Number.parseFloat(style.borderTopWidth) >= 1, `${selector} has a border`);
    notEqual(style.borderTopColor, style.backgroundColor, `${selector} shows its border`);
  };

  await open(`test/keys/${keys}`);
  await differ('aside nav a[aria-current]', 'aside nav a:not([aria-current])');
  await differ('header nav a[aria-current]', 'header nav a:not([aria-current])');
  await differ('main nav a[aria-current]', 'main nav a:not([aria-current])');
  await bordered('main button:has-text("Edit")');
  await focusShows('Keys');
  await focusShows('Edit');
  await press('Enter');
  await bordered('dialog input');
  await bordered('dialog button[type=submit]');

  await open('test/keys/new');
  await differ('label:has(> :checked)', 'label:has(> [type=radio]:not(:checked))');
  await bordered('main button[type=submit]');
  await open('test/keys');
  await bordered('main select >> xpath=..');
  await focusShows('Actions for Backend');
  await press('Enter');
  await differ('[role=menuitem][data-active-item]', '[role=menuitem]:not([data-active-item])');
  await press('Escape', 'Control+k');
  await page.locator('[role=option]').first().waitFor();
  await differ('[role=option][aria-selected=true]', '[role=option][aria-selected=false]');
  await open('/account');
  await differ('label:has(> :checked)', 'label:has(> [type=radio]:not(:checked))');
  await bordered('[role=switch]');
  await open('test/overview');
  await bordered('header button[aria-keyshortcuts]');
});
