// The overview shows traffic metrics, and the usage screen shows active tenants by month.
import { equal, match, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { batchOf, eventOf } from '@keyrail/testing/telemetry.ts';
import type { Page } from 'playwright-core';
import { openGround, type Vendor } from '../../../test/ground.ts';

const HOUR_MS = 3_600_000;

/**
 * Twelve requests in the last hour, of which one failed and two were denied, and one request 30
 * hours ago.
 */
async function sendTraffic(vendor: Vendor, env: 'live' | 'test') {
  const key = await vendor.given.key({ env, name: 'Backend' });
  const now = await vendor.clock.now();
  const served = Array.from({ length: 9 }, () => eventOf(key, now));
  const events = [
    ...served,
    eventOf(key, now, { status: 500 }),
    eventOf(key, now, { status: 429, denial_reason: 'rate_limited' }),
    eventOf(key, now, { status: 401, denial_reason: 'invalid_key' }),
    eventOf(key, new Date(now.getTime() - 30 * HOUR_MS)),
  ];
  await vendor.as.liveKey('POST /v1/ingest/batch', batchOf(events));
  return key;
}

const sum = (numbers: number[]) => numbers.reduce((total, one) => total + one, 0);

const figure = (page: Page, label: string) =>
  page
    .locator('dl > div', { has: page.getByText(label, { exact: true }) })
    .locator('dd')
    .first();

test('the overview shows traffic, advice on denied requests, nodes, and active tenants by month', async (t) => {
  const ground = await openGround(t);
  if (!ground) return;
  const { page, vendor, visit } = await ground.signIn({ role: 'member' });

  await visit(`/w/${vendor.slug}/live/overview`);
  await page.getByRole('heading', { name: 'No requests yet' }).waitFor();

  const key = await sendTraffic(vendor, 'live');
  await visit(`/w/${vendor.slug}/live/overview`);
  equal(await figure(page, 'Requests').textContent(), '12');
  equal(await figure(page, 'Error rate').textContent(), '25%');
  equal(await figure(page, 'Denied').textContent(), '2');
  await page.getByRole('meter', { name: 'Rate limited' }).waitFor();
  await page.getByText('Raise the key’s limit').waitFor();
  await page.getByText('No nodes connected.').waitFor();
  await page.getByText('1 tenant', { exact: true }).waitFor();
  // With only one month, the bar would always be full, so it isn't shown.
  equal(await page.getByRole('meter', { name: /20\d\d/ }).count(), 0);
  await page.getByText('created key').first().waitFor();
  await ground.axe(page);

  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.getByRole('button', { name: 'Table', exact: true }).click();
  await page.getByRole('button', { name: 'Copy CSV' }).click();
  await page.getByText('Copied').first().waitFor();
  const csv = await page.evaluate<string>('navigator.clipboard.readText()');
  const [head, ...hours] = csv.trim().split('\r\n');
  match(head ?? '', /^"time","Succeeded",/);
  const requests = hours.flatMap((hour) => hour.split(',').slice(1).map(Number));
  equal(sum(requests), 12, csv);
  equal(await page.getByRole('cell').count(), requests.length);
  await page.getByRole('button', { name: 'Chart', exact: true }).click();

  await page.getByRole('button', { name: '7 d', exact: true }).click();
  await page.waitForURL('**/overview?range=7d');
  await page.getByText('13', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Latency', exact: true }).click();
  await page.getByText('Latency per hour').waitFor();
  await page.reload();
  await page.getByText('Latency per hour').waitFor();

  await visit(`/w/${vendor.slug}/live/nodes`);
  await page.getByRole('heading', { name: 'No nodes connected' }).waitFor();
  await page.getByRole('tab', { name: 'Fastify' }).click();
  ok((await page.getByRole('tabpanel').textContent())?.includes(key.project_id));
  const { policy_version: since } = await vendor.as.liveKey('GET /v1/projects/{id}', {
    id: key.project_id,
  });
  const poll = { project_id: key.project_id, node: 'api-1', max_keys: 10 };
  await vendor.ask('GET /v1/policy/delta', { ...poll, since }, bearer(vendor));
  // The page updates without a reload.
  await page.getByRole('row', { name: /api-1 Current/ }).waitFor();
  await ground.axe(page);
});

const bearer = (vendor: Vendor) => ({ authorization: `Bearer ${vendor.tokens.liveKey}` });

test("the usage screen shows a month's active tenants, and test traffic is not billed", async (t) => {
  const ground = await openGround(t);
  if (!ground) return;
  const { page, vendor, visit } = await ground.signIn({ role: 'member' });
  const key = await sendTraffic(vendor, 'live');
  const { external_id } = await vendor.as.liveKey('GET /v1/tenants/{id}', { id: key.tenant_id });

  await visit(`/w/${vendor.slug}/live/usage`);
  await page.getByRole('link', { name: /20\d\d ?1 tenant$/ }).waitFor();
  equal(await page.getByRole('meter').count(), 0);
  await page.getByRole('row', { name: new RegExp(`${external_id}.*100%`) }).waitFor();
  await ground.axe(page);
  const saved = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download CSV' }).click();
  ok((await saved).suggestedFilename().startsWith('keyrail-live-'));

  await page.getByRole('link', { name: 'Test', exact: true }).click();
  await page.getByText('Test traffic is never billed').waitFor();
  await page.getByText('No active tenants this month.').waitFor();
});
