// The bar that says the server is down. It also appears if the server accepts connections but never
// responds, and it doesn't hide anything.
import { equal } from 'node:assert/strict';
import { test } from 'node:test';
import { openProxy } from '@keyrail/testing/processes/proxy.ts';
import { until } from '@keyrail/testing/until.ts';
import type { Locator, Page } from 'playwright-core';
import { openGround } from '../../test/ground.ts';

const bar = (page: Page) => page.getByRole('region', { name: 'Connection' });

/** Returns the HTML of whatever covers the centre of the element, or null. */
const over = (element: Locator): Promise<string | null> =>
  element.evaluate((one) => {
    const { left, top, width, height } = one.getBoundingClientRect();
    const found = document.elementFromPoint(left + width / 2, top + height / 2);
    return found === null || one === found || one.contains(found) ? null : found.outerHTML;
  });

test('the offline bar also appears if the server accepts connections but never responds', async (t) => {
  const ground = await openGround(t);
  if (!ground) return;
  ground.expectsErrors(/^Failed to load resource: net::ERR_/);
  const proxy = await openProxy(Number(new URL(ground.origin).port));
  t.after(() => proxy.close());
  const origin = `http://127.0.0.1:${proxy.port}`;
  const { page, vendor, visit } = await ground.signIn({ origin });
  await vendor.given.key({ name: 'Backend' });
  const create = page.getByRole('link', { name: 'Create key' });

  await visit(`/w/${vendor.slug}/live/keys`);
  await page.getByRole('link', { name: 'Backend' }).waitFor();
  proxy.unplug(true);
  // The bar appears after a single request without a response, long before the request fails.
  await page.getByRole('searchbox').fill('back');
  await bar(page).getByText('Can’t reach the server.').waitFor();
  await page.getByRole('link', { name: 'Backend' }).waitFor();

  for (const width of [390, 768, 1440]) {
    await page.setViewportSize({ width, height: 700 });
    equal(await over(create), null, `"Create key" at ${width} px`);
    equal(await over(page.getByRole('button', { name: 'Try again' })), null);
    equal(await over(page.getByRole('button', { name: 'Search or jump to…' })), null);
    equal(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), 0);
  }
  proxy.unplug(false);
  await bar(page).waitFor({ state: 'detached' });
  equal(await page.evaluate("document.documentElement.style.getPropertyValue('--bar')"), '');
});

/** Scrolls to the last label of the chart, and returns whether it is visible. */
const AXIS_SHOWS = `(() => {
  const axis = [...document.querySelectorAll('main figure svg text')].at(-1);
  if (!axis) return false;
  axis.scrollIntoView({ block: 'nearest' });
  const { top, bottom } = axis.getBoundingClientRect();
  const bar = document.querySelector('section[aria-label=Connection]').getBoundingClientRect();
  return bottom <= innerHeight && (bottom <= bar.top || top >= bar.bottom);
})()`;

const HEADER_SHOWS = `document.querySelector('header').getBoundingClientRect().top >=
  document.querySelector('section[aria-label=Connection]').getBoundingClientRect().bottom`;

test('the offline bar does not cover a chart’s axis, and sticky elements stay below it', async (t) => {
  const ground = await openGround(t);
  if (!ground) return;
  ground.expectsErrors(/^Failed to load resource: net::ERR_/);
  const { page, vendor, visit } = await ground.signIn();
  await vendor.given.project({ slug: 'orders' });
  await visit(`/w/${vendor.slug}/test/projects/orders`);
  await page.locator('main figure svg text').last().waitFor();
  await page.route(/\/(v1|healthz)/, (route) => route.abort());
  // The bar appears after a few seconds, because the page polls the list of nodes and those
  // requests fail.
  await bar(page).waitFor();
  for (const width of [390, 1440]) {
    await page.setViewportSize({ width, height: 400 });
    // The chart is drawn again at each width.
    await until(() => page.evaluate<boolean>(AXIS_SHOWS));
    await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
    equal(await page.evaluate(HEADER_SHOWS), true, `the header at ${width} px`);
  }
});
