// The look of the element: properties and parts of the page, and light and dark with the page.
import { equal, notEqual } from 'node:assert/strict';
import { test } from 'node:test';
import { openSite } from '../test/ground.ts';

test('properties and parts of the page style the element, and the theme follows the page', async (t) => {
  const site = await openSite(t);
  if (!site) return;
  const { page } = site;
  await site.open();
  const button = page.getByRole('button', { name: 'Create key' });
  await button.waitFor();
  const style = (name: 'backgroundColor' | 'borderRadius' | 'color') =>
    button.evaluate((element: Element, of) => getComputedStyle(element)[of], name);
  // The sheet of a page, under the strict policy of the site.
  const pageStyle = (css: string) =>
    page.evaluate((text) => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(text);
      document.adoptedStyleSheets = [sheet];
    }, css);

  const light = await style('backgroundColor');
  await pageStyle(':root { color-scheme: dark }');
  const dark = await style('backgroundColor');
  notEqual(dark, light, 'the page is dark, and so is the element');
  await page.emulateMedia({ colorScheme: 'dark' });
  await pageStyle(':root { color-scheme: light dark }');
  equal(await style('backgroundColor'), dark, 'the page follows the system');
  await page.locator('keyrail-keys').evaluate((element: Element) => {
    element.setAttribute('theme', 'light');
  });
  await page.locator('keyrail-keys .base[data-theme=light]').waitFor();
  equal(await style('backgroundColor'), light, 'the attribute decides against the page');

  await pageStyle(`main { --keyrail-accent: rgb(1 2 3) }
    keyrail-keys { --keyrail-radius: 11px }
    keyrail-keys::part(primary) { color: rgb(4 5 6) }
    keyrail-keys .button { color: red !important }`);
  equal(await style('backgroundColor'), 'rgb(1, 2, 3)');
  equal(await style('borderRadius'), '11px');
  equal(await style('color'), 'rgb(4, 5, 6)');
});
