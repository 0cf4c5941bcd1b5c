// What pages can change about the element's appearance: custom properties, parts, and the light or
// dark theme.
import { deepEqual, equal, notEqual } from 'node:assert/strict';
import { test } from 'node:test';
import { openSite } from '../test/ground.ts';

test("custom properties and parts style the element, and its theme follows the page's theme", async (t) => {
  const site = await openSite(t);
  if (!site) return;
  const { page } = site;
  await site.open();
  const button = page.getByRole('button', { name: 'Create key' });
  await button.waitFor();
  const style = (name: 'backgroundColor' | 'borderRadius' | 'color') =>
    button.evaluate((element: Element, of) => getComputedStyle(element)[of], name);
  // Replaces the page's style sheet. The site's strict policy doesn't allow inline styles.
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
  equal(await style('backgroundColor'), light, 'the attribute overrides the page');

  await pageStyle(`main { --keyrail-accent: rgb(1 2 3) }
    keyrail-keys { --keyrail-radius: 11px }
    keyrail-keys::part(primary) { color: rgb(4 5 6) }
    keyrail-keys .button { color: red !important }`);
  equal(await style('backgroundColor'), 'rgb(1, 2, 3)');
  equal(await style('borderRadius'), '11px');
  equal(await style('color'), 'rgb(4, 5, 6)');
});

test('lengths set by the page have limits, so that they cannot break the layout', async (t) => {
  const site = await openSite(t);
  if (!site) return;
  const { page } = site;
  await site.open();
  await page.getByRole('button', { name: 'Create key' }).waitFor();
  /** Sets one property to this value, and returns the resulting padding, size and radius. */
  const with_ = (name: string, value: string) =>
    page.locator('keyrail-keys').evaluate(
      (element, [property, text]) => {
        if (!(element instanceof HTMLElement)) throw new Error('no element');
        element.style.setProperty(property ?? '', text ?? '');
        const of = (part: string) => element.shadowRoot?.querySelector(`[part~=${part}]`);
        const head = of('header');
        const button = of('button');
        if (!head || !button) throw new Error('a part is missing');
        const { paddingLeft: padding } = getComputedStyle(head);
        const { fontSize: size, borderTopLeftRadius: radius } = getComputedStyle(button);
        element.style.removeProperty(property ?? '');
        return { padding, size, radius };
      },
      [`--keyrail-${name}`, value],
    );
  const usual = { padding: '16px', size: '14px', radius: '6px' };
  deepEqual(await with_('space', '4px'), usual);
  deepEqual(await with_('space', '0.375rem'), { ...usual, padding: '24px' });
  deepEqual(await with_('space', '20px'), { ...usual, padding: '32px' });
  deepEqual(await with_('space', '-9px'), { ...usual, padding: '8px' });
  deepEqual(await with_('size', '16px'), { ...usual, size: '16px' });
  deepEqual(await with_('size', '400px'), { ...usual, size: '24px' });
  deepEqual(await with_('radius', '900px'), { ...usual, radius: '16px' });
});
