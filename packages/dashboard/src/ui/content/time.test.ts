// Relative times are correct, and absolute times show their time zone.
import { equal, match } from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { openGround } from '../../../test/ground.ts';

const LATER_MS = 600_000;

const createdText = (page: Page, name: string) =>
  page.getByRole('row', { name }).locator('time').last().textContent();

test('a recent time is never shown as being in the future', async (t) => {
  const ground = await openGround(t);
  if (!ground) return;
  const { page, vendor, visit } = await ground.signIn();
  await vendor.given.tenant({ external_id: 'early' });
  await page.clock.install();
  await visit(`/w/${vendor.slug}/live/tenants`);
  await page.getByRole('row', { name: 'early' }).waitFor();
  // While a page shows no times, its clock doesn't tick.
  await page.getByRole('link', { name: 'Nodes' }).click();
  await page.getByRole('heading', { level: 1, name: 'Nodes' }).waitFor();
  await page.clock.fastForward(LATER_MS);
  vendor.clock.shift(LATER_MS);
  await vendor.given.tenant({ external_id: 'late' });
  await page.getByRole('link', { name: 'Tenants' }).click();
  await page.getByRole('row', { name: 'late' }).waitFor();
  match((await createdText(page, 'late')) ?? '', /^(now|\d+ s ago)$/);
  match((await createdText(page, 'early')) ?? '', /^10 min ago$/);

  // The list reloads between two ticks, so the new row was created after the last tick.
  await page.clock.fastForward(8000);
  vendor.clock.shift(8000);
  await vendor.given.tenant({ external_id: 'latest' });
  await page.evaluate("dispatchEvent(new Event('visibilitychange'))");
  await page.getByRole('row', { name: 'latest' }).waitFor();
  match((await createdText(page, 'latest')) ?? '', /^(now|\d+ s ago)$/);
});

const CLOCK = '\\d\\d:\\d\\d';
const SECONDS = '\\d+ \\w{3,4} \\d{4}, \\d\\d:\\d\\d:\\d\\d';
/** A time zone without an abbreviation or daylight saving time. */
const TIMEZONE = { timezoneId: 'Asia/Kolkata' };
const ZONE = 'GMT\\+5:30';

test('times are local and show their time zone, and tooltips add UTC', async (t) => {
  const ground = await openGround(t);
  if (!ground) return;
  const { page, context, vendor, visit } = await ground.signIn();
  const debug = await context.newCDPSession(page);
  await debug.send('Emulation.setTimezoneOverride', TIMEZONE);
  const key = await vendor.given.key({ name: 'Backend', expires_at: '2031-05-05T18:30:00.000Z' });
  const dialog = page.getByRole('dialog');

  await visit(`/w/${vendor.slug}/live/keys`);
  const row = page.getByRole('row', { name: 'Backend' });
  equal(
    await row.locator('[role=tooltip]', { hasText: '2031' }).textContent(),
    '6 May 2031, 00:00:00 GMT+5:30 (5 May 2031, 18:30:00 UTC)',
  );

  await visit(`/w/${vendor.slug}/live/keys/${key.id}`);
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  const expires = dialog.getByLabel('Expires');
  equal(await expires.inputValue(), '2031-05-06T00:00');
  await dialog.getByText('GMT+5:30', { exact: true }).waitFor();
  await expires.fill('2031-05-07T00:00');
  const patched = page.waitForRequest((one) => one.method() === 'PATCH');
  await dialog.getByRole('button', { name: 'Save live key' }).click();
  equal((await patched).postDataJSON().expires_at, '2031-05-06T18:30:00.000Z');
  await dialog.waitFor({ state: 'detached' });

  await page.getByRole('button', { name: 'Rotate' }).click();
  const tomorrow = `\\w{3} \\d+ \\w{3,4}, ${CLOCK} ${ZONE}`;
  await dialog.locator('figcaption').getByText(new RegExp(tomorrow)).waitFor();
  await page.keyboard.press('Escape');
  await vendor.as.liveKey('POST /v1/keys/{id}/rotate', { id: key.id, overlap_hours: 2 });
  await visit(`/w/${vendor.slug}/live/keys`);
  await page.getByText(new RegExp(`^Replaced, works until ${CLOCK} ${ZONE}$`)).waitFor();

  const { slug } = await vendor.as.liveKey('GET /v1/projects/{id}', { id: key.project_id });
  await visit(`/w/${vendor.slug}/live/projects/${slug}`);
  await page.getByRole('main').getByText('GMT+5:30', { exact: true }).first().waitFor();
  await page.getByRole('button', { name: 'Table' }).first().click();
  const first = page.getByRole('rowheader').first();
  match((await first.textContent()) ?? '', new RegExp(`^${SECONDS} ${ZONE}$`));
});

test('a key that expires while it is shown is reloaded with its new state', async (t) => {
  const ground = await openGround(t);
  if (!ground) return;
  const { page, vendor, visit } = await ground.signIn();
  await page.clock.install();
  const expires_at = new Date(vendor.clock.now().getTime() + LATER_MS).toISOString();
  await vendor.given.key({ name: 'Trial', expires_at });
  await visit(`/w/${vendor.slug}/live/keys`);
  const row = page.getByRole('row', { name: 'Trial' });
  await row.getByText(/^\w+ in 9 min/).waitFor();
  vendor.clock.shift(LATER_MS);
  await page.clock.fastForward(LATER_MS + 20_000);
  await row.getByText('Expired').waitFor();
});
