// A list loads its next page whenever its end is in view, no matter what else happens to the list
// in the meantime.
import { equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { lookupHash } from '@keyrail/protocol/wire/key-format.ts';
import type { Page } from 'playwright-core';
import { openGround, type Vendor } from '../../../test/ground.ts';

const PAGE_ROWS = 100;
const FAILED = 'Couldn’t load keys.';

async function manyKeys({ given, as, workspaceId }: Vendor, count: number): Promise<void> {
  const { id: project_id } = await given.project();
  const { id: tenant_id } = await given.tenant();
  const keys = Array.from({ length: count }, (_, at) => ({
    tenant_id,
    lookup_hash: lookupHash(`paged ${workspaceId} ${at}`),
    display_prefix: 'old_',
    name: `Key ${at}`,
  }));
  await as.liveKey('POST /v1/keys/import', { project_id, env: 'live', keys });
}

/** Renames the key in the first row. */
async function renameFirst({ as }: Vendor): Promise<void> {
  const { data } = await as.liveKey('GET /v1/keys', { limit: 1 });
  await as.liveKey('PATCH /v1/keys/{id}', { id: data[0]?.id ?? '', name: 'Renamed' });
}

const isKeys = ({ pathname }: URL) => pathname === '/v1/keys';
const isNextPage = (url: URL) => isKeys(url) && url.searchParams.has('cursor');
const rowsOf = (page: Page) => page.locator('main [role=table] [role=row]');
const toEnd = (page: Page) => page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');

/**
 * Runs inside the page. After a click on the body, the list reloads at the exact moment its end
 * next comes into view.
 */
function reloadWhenSeen(): void {
  let isArmed = false;
  addEventListener('click', () => {
    isArmed = true;
  });
  const channels: BroadcastChannel[] = [];
  globalThis.BroadcastChannel = class extends BroadcastChannel {
    constructor(name: string) {
      super(name);
      channels.push(this);
    }
  };
  globalThis.IntersectionObserver = class extends IntersectionObserver {
    constructor(report: IntersectionObserverCallback, options?: IntersectionObserverInit) {
      super((entries, self) => {
        report(entries, self);
        if (!isArmed || !entries.at(-1)?.isIntersecting) return;
        isArmed = false;
        for (const channel of channels) {
          channel.dispatchEvent(new MessageEvent('message', { data: { kind: 'person-changed' } }));
        }
      }, options);
    }
  };
}

test('a list that is reloaded just as its end comes into view loads its next page', async (t) => {
  const ground = await openGround(t);
  if (!ground) return;
  const { page, vendor, visit } = await ground.signIn();
  await manyKeys(vendor, 120);
  await page.addInitScript(reloadWhenSeen);
  await visit(`/w/${vendor.slug}/live/keys`);
  await rowsOf(page).nth(PAGE_ROWS).waitFor({ state: 'attached' });
  await page.waitForLoadState('networkidle');
  await page.evaluate("document.body.dispatchEvent(new Event('click', { bubbles: true }))");
  await toEnd(page);
  await rowsOf(page).nth(120).waitFor({ state: 'attached' });
});

test('a list that is reloaded while its next page loads shows the changes and the next page', async (t) => {
  const ground = await openGround(t);
  if (!ground) return;
  const { page, vendor, visit } = await ground.signIn();
  await manyKeys(vendor, 120);
  await visit(`/w/${vendor.slug}/live/keys`);
  await rowsOf(page).nth(PAGE_ROWS).waitFor({ state: 'attached' });
  await page.waitForLoadState('networkidle');
  const held = Promise.withResolvers<void>();
  await page.route(isKeys, async (route) => {
    await held.promise;
    await route.fallback();
  });
  await Promise.all([page.waitForRequest((one) => isNextPage(new URL(one.url()))), toEnd(page)]);
  await renameFirst(vendor);
  // Post the message that another tab posts after a change.
  await Promise.all([
    page.waitForRequest((one) => isKeys(new URL(one.url())) && !isNextPage(new URL(one.url()))),
    page.evaluate("new BroadcastChannel('keyrail').postMessage({ kind: 'person-changed' })"),
  ]);
  held.resolve();
  await rowsOf(page).nth(120).waitFor({ state: 'attached' });
  await page.getByText('Renamed', { exact: true }).waitFor({ state: 'attached' });
});

test('a page of a list that fails to load is requested again only when the user asks for it', async (t) => {
  const ground = await openGround(t);
  if (!ground) return;
  const { page, vendor, visit } = await ground.signIn();
  await manyKeys(vendor, 120);
  await visit(`/w/${vendor.slug}/live/keys`);
  await rowsOf(page).nth(PAGE_ROWS).waitFor({ state: 'attached' });
  let sent = 0;
  await page.route(isNextPage, (route) => {
    sent += 1;
    const error = { code: 'invalid_request', message: 'The cursor is invalid.' };
    return route.fulfill({ status: 400, json: { error } });
  });
  ground.expects(400);
  await toEnd(page);
  await page.getByText(FAILED).waitFor();
  // If each error triggered another request, many would be sent during this second.
  await page.evaluate('new Promise((done) => setTimeout(done, 1000))');
  equal(sent, 1);
  await Promise.all([
    page.waitForResponse((one) => isNextPage(new URL(one.url()))),
    page.getByRole('button', { name: 'Show more' }).click(),
  ]);
  equal(sent, 2);
  await page.unroute(isNextPage);
  await page.getByRole('button', { name: 'Show more' }).click();
  await rowsOf(page).nth(120).waitFor({ state: 'attached' });
  ok(await page.getByText(FAILED).isHidden());
});
