// The page in a real browser: nothing overflows at any width, all text has enough contrast in light
// and dark mode, printouts are complete, and the menu can be filtered.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { buildOpenApi } from '@keyrail/protocol/openapi.ts';
import { findChromium } from '@keyrail/testing/stores/chromium.ts';
import { chromium, type Page } from 'playwright-core';
import { filterScript } from './filter.ts';
import { referencePage } from './page.ts';
import { referenceStyle } from './style.ts';

// The scripts below run inside the page. They are strings, because the globals they use exist only
// in a browser.

const sideways = 'document.documentElement.scrollWidth - innerWidth';

/** Finds all text with less contrast than WCAG AA requires for its size. */
const faint = `(() => {
  const numbers = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const light = (colour) => colour.slice(0, 3).map((part) => part / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
    .reduce((sum, part, at) => sum + part * [0.2126, 0.7152, 0.0722][at], 0);
  const ground = (element) => {
    for (let each = element; each; each = each.parentElement) {
      const colour = numbers(getComputedStyle(each).backgroundColor);
      if (colour[3] !== 0) return colour;
    }
    return [255, 255, 255];
  };
  const found = new Set();
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const element = texts.currentNode.parentElement;
    if (!texts.currentNode.data.trim()) continue;
    const { color, fontSize } = getComputedStyle(element);
    const [low, high] = [light(numbers(color)), light(ground(element))].sort((a, b) => a - b);
    const wanted = parseFloat(fontSize) >= 24 ? 3 : 4.5;
    if ((high + 0.05) / (low + 0.05) < wanted) found.add(element.outerHTML.slice(0, 80));
  }
  return [...found];
})()`;

/** Finds parts that would be missing from a printout: collapsed sections and clipped text. */
const unprinted = `[...document.querySelectorAll('main details, main pre')].filter((each) =>
  each.tagName === 'PRE'
    ? each.scrollHeight > each.clientHeight + 1 || each.scrollWidth > each.clientWidth + 1
    : !each.lastElementChild.checkVisibility() ||
      each.lastElementChild.getBoundingClientRect().height === 0).length`;

const distinguished = `[...document.querySelectorAll('main p > a:not([class]), footer a')]
  .every((link) => getComputedStyle(link).textDecorationLine === 'underline')`;

test('the page fits any width, has enough contrast and prints completely, and its menu can be filtered', async (t) => {
  const found = findChromium();
  if ('missing' in found) return t.skip(found.missing);
  const { url, close } = await servePage();
  const browser = await chromium.launch({ executablePath: found.path, args: ['--no-sandbox'] });
  t.after(() => Promise.all([browser.close(), close()]));
  for (const colorScheme of ['light', 'dark'] as const) {
    const page = await browser.newPage({ colorScheme });
    await page.goto(url);
    // A width of 320 corresponds to a 1280-pixel window at 400 % zoom.
    for (const width of [320, 390, 640, 1280, 1440]) {
      await page.setViewportSize({ width, height: 800 });
      equal(await page.evaluate(sideways), 0, `${width} wide`);
    }
    deepEqual(await page.evaluate(faint), [], colorScheme);
    equal(
      await page.evaluate(distinguished),
      true,
      'links are distinguished from text by more than colour',
    );
    await filterMenu(page);
    await page.setViewportSize({ width: 794, height: 1123 });
    await page.emulateMedia({ media: 'print' });
    equal(await page.evaluate(unprinted), 0, 'on paper');
    const body = 'getComputedStyle(document.body).backgroundColor';
    equal(await page.evaluate(body), 'rgb(255, 255, 255)', 'printouts are light');
    await page.close();
  }
  const plain = await browser.newPage({ javaScriptEnabled: false });
  await plain.goto(url);
  equal(await plain.isVisible('#menu-filter'), false, 'without scripts there is no filter');
  equal(await plain.isVisible('nav details a'), true);
});

const entries = `[...document.querySelectorAll('nav details a')]
  .filter((link) => link.checkVisibility()).map((link) => link.textContent)`;

async function filterMenu(page: Page): Promise<void> {
  const all: string[] = await page.evaluate(entries);
  await page.fill('#menu-filter', 'KEYS rotate');
  deepEqual(await page.evaluate(entries), [
    'Replace an API key without downtimePOST',
    'Replace a secret key without downtimePOST',
    "Replace one of the tenant's keys without downtimePOST",
  ]);
  await page.fill('#menu-filter', 'no such endpoint');
  deepEqual(await page.evaluate(entries), []);
  equal(await page.textContent('#menu-none'), 'No matching endpoints.');
  await page.fill('#menu-filter', '/v1/workspace patch');
  await page.press('#menu-filter', 'Enter');
  equal(await page.evaluate('location.hash'), '#updateWorkspace');
  await page.fill('#menu-filter', '');
  deepEqual(await page.evaluate(entries), all);
}

async function servePage(): Promise<{ url: string; close(): void }> {
  const openApi = buildOpenApi({ url: 'https://keys.example.com', version: '1.2.3' });
  const page = referencePage(openApi, { styleUrl: '/s.css', iconUrl: '/i.svg', documentUrl: '/o' });
  const hash = createHash('sha256').update(filterScript).digest('base64');
  const policy = `default-src 'none'; style-src 'self'; script-src 'sha256-${hash}'`;
  const server = createServer(({ url = '' }, response) => {
    const isStyle = url === '/s.css';
    response.setHeader('content-security-policy', policy);
    response.setHeader('content-type', isStyle ? 'text/css' : 'text/html; charset=utf-8');
    response.end(isStyle ? referenceStyle : page);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  ok(typeof address === 'object' && address !== null);
  return { url: `http://127.0.0.1:${address.port}/`, close: () => server.close() };
}
