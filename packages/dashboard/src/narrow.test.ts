// Nothing is cut off on narrow screens: no screen scrolls sideways, and no row is wider than its
// table, no matter how long the list is. Tables hide columns instead of scrolling. The usual run
// visits only screens with lists; every-screen.test.ts checks the others at 320 px.
import { deepEqual } from 'node:assert/strict';
import { test } from 'node:test';
import { isFullRun } from '@keyrail/testing/full-run.ts';
import { until } from '@keyrail/testing/until.ts';
import type { Page } from 'playwright-core';
import { crowdedWorkspace } from '../test/crowded-workspace.ts';
import { addressesOf, heading } from '../test/every-screen.ts';
import { openGround } from '../test/ground.ts';

/**
 * The screens are divided among several tests, so that each test stays well within its time limit.
 */
const SHARES = isFullRun ? 3 : 1;

/**
 * A phone, a tablet, the narrowest width at which a table shows a few columns, and the narrowest at
 * which it shows them all.
 */
const WIDTHS = [390, 768, 688, 1280];
const HEIGHT = 700;

const PAGE_ROWS = 100;
/** List screens with more than one page of rows. */
const LISTS = /\/(keys|tenants|projects|nodes|usage|secret-keys|members|audit)$/;

const WEBHOOKS = /\/webhooks$/;

/**
 * Finds elements wider than their container. Headings for screen readers don't count, because they
 * are one pixel wide.
 */
const TOO_WIDE = `(() => {
  const faults = [];
  const over = document.documentElement.scrollWidth - innerWidth;
  if (over > 0) faults.push('the page scrolls sideways by ' + over + ' px');
  for (const table of document.querySelectorAll('[role=table], table')) {
    const box = table.parentElement;
    const within = box.getBoundingClientRect();
    if (box.scrollWidth > box.clientWidth) faults.push('a table scrolls in its box');
    for (const row of table.querySelectorAll('[role=row], tr')) {
      const { left, right, width } = row.getBoundingClientRect();
      if (row.parentElement.clientWidth <= 1 || !row.checkVisibility()) continue;
      if (right > within.right + 1) faults.push('a row is ' + width + ' px wide in ' + within.width);
      for (const cell of row.children) {
        const own = cell.getBoundingClientRect();
        if (own.width > 0 && (own.right > right + 1 || own.left < left - 1)) {
          faults.push('the cell "' + cell.textContent.slice(0, 20) + '" extends outside its row');
        }
      }
    }
  }
  return [...new Set(faults)].slice(0, 5);
})()`;

async function faultsAt(page: Page, place: string): Promise<string[]> {
  const faults: string[] = [];
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: HEIGHT });
    const found: string[] = await page.evaluate(TOO_WIDE);
    faults.push(...found.map((fault) => `${place} at ${width} px: ${fault}`));
  }
  return faults;
}

/** Scrolls to the end of a list, so that its next page loads. */
async function readMore(page: Page): Promise<void> {
  const rows = page.locator('main [role=table] [role=row]');
  // Scrolls several times, because the page grows as rows are rendered.
  await until(async () => {
    await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
    return (await rows.count()) > PAGE_ROWS + 1;
  }).catch(async (error) => {
    const text = await page.locator('main').innerText();
    throw new Error(`${page.url()}: ${await rows.count()} rows\n${text.slice(-500)}`, {
      cause: error,
    });
  });
}

for (let share = 0; share < SHARES; share += 1) {
  test(`no screen is too wide for a phone or a tablet, part ${share + 1}`, async (t) => {
    const ground = await openGround(t);
    if (!ground) return;
    const owner = await ground.signIn();
    const visitor = await ground.visitor();
    const objects = await crowdedWorkspace(owner.vendor);
    const walked = addressesOf(objects).filter(
      ({ path, isTest }) => isTest && (isFullRun || LISTS.test(path) || WEBHOOKS.test(path)),
    );
    const faults: string[] = [];
    for (const { path, frame } of walked.filter((_, at) => at % SHARES === share)) {
      const { page, visit } = frame === 'open' ? visitor : owner;
      // Set the width before loading the page, so that groups of rows outside the viewport aren't
      // still laid out for a different width.
      await page.setViewportSize({ width: WIDTHS[0] ?? 0, height: HEIGHT });
      await visit(path);
      await heading(page);
      if (LISTS.test(path)) await readMore(page);
      faults.push(...(await faultsAt(page, path)));
      if (!WEBHOOKS.test(path)) continue;
      await page.getByRole('button', { name: 'http://127.0.0.1:1/keyrail' }).click();
      await page.getByRole('table', { name: 'Deliveries' }).waitFor();
      faults.push(...(await faultsAt(page, 'deliveries to an endpoint')));
    }
    deepEqual(faults, []);
  });
}
