// The example, exactly as it is in the repository, is under 60 lines long and works in a browser.
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { startVendor } from '../../../tests/journeys/vendor-api.ts';
import { openSite } from '../test/ground.ts';

const LINES_MAX = 60;
const folder = join(import.meta.dirname, '../../../examples/widget');

test('a user creates a key on the example page', async (t) => {
  const lines = ['page.html', 'server.ts'].flatMap((name) =>
    readFileSync(join(folder, name), 'utf8').trimEnd().split('\n'),
  );
  ok(lines.length < LINES_MAX, `${lines.length} lines`);
  const site = await openSite(t);
  if (!site) return;
  const { vendor, projectId, tenantId, context } = site;
  const { key } = await vendor.as.liveKey('POST /v1/secret_keys', {
    env: 'live',
    profile: 'embed',
  });
  const settings = {
    KEYRAIL_URL: site.api,
    KEYRAIL_SECRET_KEY: key ?? '',
    KEYRAIL_PROJECT_ID: projectId,
    KEYRAIL_TENANT_ID: tenantId,
  };
  const { url } = await startVendor(t, 'examples/widget/server.ts', settings);
  await vendor.as.liveKey('PATCH /v1/workspace', { embed_origins: [url] });
  const signedOut = await fetch(`${url}/api/keyrail-token`, { method: 'POST' });
  equal(signedOut.status, 404, 'without a session, no token is created');

  const page = await context.newPage();
  await page.goto(url);
  await page.getByRole('button', { name: 'Create key' }).click();
  await page.getByLabel('Name').fill('Website');
  await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
  match((await page.locator('[part=secret] code').textContent()) ?? '', /^kr_live_/);
  const { data } = await vendor.as.liveKey('GET /v1/keys', { tenant_id: tenantId });
  deepEqual(
    data.map(({ name, scopes }) => [name, scopes]),
    [['Website', ['invoices:read']]],
  );
});
