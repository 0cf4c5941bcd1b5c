// Relative times on the pages are right.
import { match } from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { openGround } from '../../test/ground.ts';

const LATER_MS = 600_000;

const createdText = (page: Page, name: string) =>
  page.getByRole('row', { name }).locator('time').last().textContent();

test('what happened a moment ago never lies in the future', async (t) => {
  const ground = await openGround(t);
  if (!ground) return;
  const { page, vendor, visit } = await ground.signIn();
  await vendor.given.tenant({ external_id: 'early' });
  await page.clock.install();
  await visit(`/w/${vendor.slug}/live/tenants`);
  await page.getByRole('row', { name: 'early' }).waitFor();
  // A page without any time, on which the clock of the page rests.
  await page.getByRole('link', { name: 'Nodes' }).click();
  await page.getByRole('heading', { level: 1, name: 'Nodes' }).waitFor();
  await page.clock.fastForward(LATER_MS);
  vendor.clock.shift(LATER_MS);
  await vendor.given.tenant({ external_id: 'late' });
  await page.getByRole('link', { name: 'Tenants' }).click();
  await page.getByRole('row', { name: 'late' }).waitFor();
  match((await createdText(page, 'late')) ?? '', /^(now|\d+ s ago)$/);
  match((await createdText(page, 'early')) ?? '', /^10 min ago$/);

  // Between two ticks: a list that is read again is newer than the last tick.
  await page.clock.fastForward(8000);
  vendor.clock.shift(8000);
  await vendor.given.tenant({ external_id: 'latest' });
  await page.evaluate("dispatchEvent(new Event('visibilitychange'))");
  await page.getByRole('row', { name: 'latest' }).waitFor();
  match((await createdText(page, 'latest')) ?? '', /^(now|\d+ s ago)$/);
});
