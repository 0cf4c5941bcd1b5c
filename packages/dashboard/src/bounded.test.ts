// No matter how large the workspace is, each screen sends a limited number of requests and shows a
// limited number of rows.
import { equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { lookupHash } from '@keyrail/protocol/wire/key-format.ts';
import { longAuditLog } from '@keyrail/testing/long-audit-log.ts';
import type { Page } from 'playwright-core';
import { openGround, type Vendor } from '../test/ground.ts';

const KEYS = 250;
const TENANTS = 120;
const PAGE_ROWS = 100;
/** The maximum number of requests for the navigation, the screen and the first page of rows. */
const FIRST_READS_MAX = 12;
/** The maximum number of requests for another page of rows and the data shown with it. */
const PAGE_READS_MAX = 4;

/** Creates more keys, tenants and audit log entries than fit on one page. */
async function fill({ given, as, testApp, workspaceId }: Vendor): Promise<void> {
  const { id: project_id } = await given.project();
  const tenants: { id: string }[] = [];
  while (tenants.length < TENANTS) tenants.push(await given.tenant());
  const keys = Array.from({ length: KEYS }, (_, at) => ({
    tenant_id: tenants[at % TENANTS]?.id,
    lookup_hash: lookupHash(`bounded ${workspaceId} ${at}`),
    display_prefix: 'old_',
    name: `Key ${at}`,
  }));
  await as.liveKey('POST /v1/keys/import', { project_id, env: 'live', keys });
  const log = longAuditLog({ workspaceId, rows: KEYS });
  await testApp.beyond(`set local session_replication_role = replica; ${log}`);
}

function countReads(page: Page): () => number {
  let reads = 0;
  page.on('request', (request) => {
    if (request.url().includes('/v1/')) reads += 1;
  });
  return () => {
    const before = reads;
    reads = 0;
    return before;
  };
}

test('every list sends a limited number of requests and shows a limited number of rows', async (t) => {
  const ground = await openGround(t);
  if (!ground) return;
  const { page, vendor, visit } = await ground.signIn();
  await fill(vendor);
  const readsOf = countReads(page);
  const rows = page.locator('main [role=table] [role=row]');
  for (const path of ['live/keys', 'live/tenants', 'audit']) {
    await visit(`/w/${vendor.slug}/${path}`);
    await rows.nth(PAGE_ROWS).waitFor({ state: 'attached' });
    await page.waitForLoadState('networkidle');
    equal(await rows.count(), PAGE_ROWS + 1, `${path}: one page and its header row`);
    const first = readsOf();
    ok(first > 1 && first <= FIRST_READS_MAX, `${path} made ${first} requests`);

    await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
    await rows.nth(PAGE_ROWS + 1).waitFor({ state: 'attached' });
    await page.waitForLoadState('networkidle');
    const more = readsOf();
    ok(more >= 1 && more <= PAGE_READS_MAX, `another page of ${path} took ${more} requests`);
  }
  // A row's menu is only rendered once its button is pressed. When the menu closes, it returns the
  // focus to the button.
  await visit(`/w/${vendor.slug}/live/keys`);
  await rows.nth(PAGE_ROWS).waitFor({ state: 'attached' });
  await page.waitForLoadState('networkidle');
  equal(await page.getByRole('menu').count(), 0);
  await page.getByRole('button', { name: 'Actions for Key 249' }).click();
  await page.getByRole('menuitem', { name: 'Disable' }).waitFor();
  await page.keyboard.press('Escape');
  equal(await page.evaluate('document.activeElement?.ariaLabel'), 'Actions for Key 249');
});
