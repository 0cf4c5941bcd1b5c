// Times in the element are local, show their time zone, and use the locale's 12-hour or 24-hour
// clock.
import { equal } from 'node:assert/strict';
import { test } from 'node:test';
import { openSite } from '../test/ground.ts';

/** A time zone without an abbreviation or daylight saving time. */
const TIMEZONE = { timezoneId: 'Asia/Kolkata' };

const UNTIL: Readonly<Record<string, RegExp>> = {
  en: /until \w{3} \d+ \w{3,4}, \d\d:\d\d GMT\+5:30\. After that/,
  'en-US': /until \w{3}, \w{3} \d+, \d\d:\d\d [AP]M GMT\+5:30\. After that/,
  de: /bis \w{2}\., \d+\. \S+, \d\d:\d\d GMT\+5:30, danach/,
};

test('times show their time zone, and use a 24-hour clock unless the region uses a 12-hour one', async (t) => {
  const site = await openSite(t);
  if (!site) return;
  const { page, context, vendor, projectId: project_id, tenantId: tenant_id } = site;
  const debug = await context.newCDPSession(page);
  await debug.send('Emulation.setTimezoneOverride', TIMEZONE);
  const expires_at = '2031-05-05T18:30:00.000Z';
  const scopes = ['invoices:read'];
  await vendor.given.key({ project_id, tenant_id, name: 'Website', scopes, expires_at });
  await site.open();
  const element = page.locator('keyrail-keys');
  for (const [lang, until] of Object.entries(UNTIL)) {
    await element.evaluate((one, name) => one.setAttribute('lang', name), lang);
    await page.getByRole('button', { name: /Website/ }).click();
    await page.getByRole('menuitem').nth(1).click();
    await page.getByRole('dialog').locator('figcaption').getByText(until).waitFor();
    await page.keyboard.press('Escape');
  }
  await element.evaluate((one) => one.setAttribute('lang', 'en'));
  await page.getByText('6 May 2031').waitFor();
  equal(
    await page.getByText('6 May 2031').getAttribute('title'),
    '6 May 2031, 00:00:00 GMT+5:30 (5 May 2031, 18:30:00 UTC)',
  );
});

test('a key that expires while it is shown is reloaded with its new state', async (t) => {
  const site = await openSite(t);
  if (!site) return;
  const { page, vendor, projectId: project_id, tenantId: tenant_id } = site;
  const leftMs = 120_000;
  await page.clock.install();
  const expires_at = new Date(vendor.clock.now().getTime() + leftMs).toISOString();
  await vendor.given.key({ project_id, tenant_id, name: 'Trial', expires_at });
  await site.open();
  await page.getByRole('row', { name: 'Trial' }).getByText('Expires in').waitFor();
  vendor.clock.shift(leftMs);
  await page.clock.fastForward(leftMs + 2000);
  await page.getByRole('row', { name: 'Trial' }).getByText('Expired', { exact: true }).waitFor();
});
