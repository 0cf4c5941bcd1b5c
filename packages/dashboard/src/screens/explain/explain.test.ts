// The Explain screen: why a key is denied, how to fix it, and the response the caller gets.
import { deepEqual, doesNotMatch, equal, match, ok } from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { openGround, openVendor } from '../../../test/ground.ts';

const answer = (page: Page) => page.getByRole('region', { name: 'What the caller sees' });
const failed = (page: Page, name: string) =>
  page.getByRole('listitem').filter({ hasText: 'Fail' }).filter({ hasText: name });

const verdict = async (page: Page) =>
  page.getByRole('region', { name: 'Checks' }).getByRole('status').innerText();

async function explain(page: Page, text: string): Promise<void> {
  await page.getByLabel('Key', { exact: true }).fill(text);
  await page.getByRole('button', { name: 'Explain key', exact: true }).click();
}

/** Clicks a fix and confirms it in the dialog. */
async function fix(page: Page, action: string): Promise<void> {
  await page.getByRole('button', { name: action }).click();
  await page.getByRole('dialog').getByRole('button', { name: action }).click();
}

test('a denial can be explained and fixed, and a pasted key is kept only in its input field', async (t) => {
  const ground = await openGround(t);
  if (!ground) return;
  const { page, vendor, visit } = await ground.signIn();
  const key = await vendor.given.key({ name: 'Backend', scopes: ['orders:read'] });
  await visit(`/w/${vendor.slug}/live/explain`);
  await page.getByRole('heading', { name: 'Find out why a key doesn’t work' }).waitFor();

  await page.getByLabel('Scopes the route requires').fill('orders:write ');
  await explain(page, ` ${key.key}`);
  await page.getByRole('button', { name: 'Remove the spaces' }).click();
  await failed(page, 'Scopes').waitFor();
  await answer(page).getByText('HTTP/1.1 403 Forbidden').waitFor();
  await answer(page).getByText('"missing_scopes":["orders:write"]').waitFor();
  await ground.axe(page);
  await fix(page, 'Add orders:write to live key');
  await page.getByText('Allowed', { exact: true }).waitFor();
  const { scopes } = await vendor.as.liveKey('GET /v1/keys/{id}', { id: key.id });
  deepEqual(scopes, ['orders:read', 'orders:write']);

  await vendor.as.liveKey('POST /v1/keys/{id}/disable', { id: key.id });
  await page.getByRole('button', { name: 'Explain key', exact: true }).click();
  await answer(page).getByText('HTTP/1.1 401 Unauthorized').waitFor();
  match(await verdict(page), /Denied\s*This key is disabled\.$/);
  await page.getByText('Reason reported by nodes: unknown_key').waitFor();
  await fix(page, 'Enable live key');
  await page.getByText('Allowed', { exact: true }).waitFor();

  ok(!page.url().includes(key.key), 'not in the URL');
  const kept = await page.evaluate(() =>
    JSON.stringify([sessionStorage, localStorage, history.state]),
  );
  ok(!kept.includes(key.key), 'not stored');
  ok(!(await page.content()).includes(key.key), 'not in the document, where scripts could copy it');
});

test('every kind of denial is shown with the failed check, a fix, and the response sent to the caller', async (t) => {
  const ground = await openGround(t);
  if (!ground) return;
  const { page, vendor, visit } = await ground.signIn();
  const nowMs = vendor.clock.now().getTime();
  const atDays = (days: number) => new Date(nowMs + days * 86_400_000).toISOString();
  const ends = await vendor.given.key({ name: 'Ends', expires_at: atDays(60) });
  const { project_id } = ends;
  const path = `/w/${vendor.slug}/live/explain`;
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const refuses = async (check: string, { status, code }: { status: string; code: string }) => {
    await failed(page, check).waitFor();
    await answer(page).getByText(`HTTP/1.1 ${status}`).waitFor();
    await page.getByText(`Reason reported by nodes: ${code}`).waitFor();
  };
  const unauthorized = (code: string) => ({ status: '401 Unauthorized', code });
  await visit(path);

  await explain(page, `Bearer ${ends.key}`);
  await refuses('Format', unauthorized('malformed_key'));
  await button('Remove “Bearer”').click();
  await page.getByText('Allowed', { exact: true }).waitFor();
  await explain(page, `${ends.key.slice(0, -1)}${ends.key.endsWith('0') ? '1' : '0'}`);
  await refuses('Checksum', unauthorized('malformed_key'));
  await button('Try another key').click();
  equal(await page.evaluate('getSelection()?.toString() !== ""'), true);

  await page.getByLabel('Request time').fill(atDays(61).slice(0, 16));
  await explain(page, ends.key);
  await refuses('Not expired', unauthorized('expired'));
  await fix(page, 'Extend live key by 30 days');
  await page.getByText('Allowed', { exact: true }).waitFor();
  await page.getByLabel('Request time').fill('');
  await page.getByLabel('Environment the route requires').selectOption('test');
  await explain(page, ends.key);
  await refuses('Environment', { status: '403 Forbidden', code: 'wrong_environment' });
  await button('Check against live').click();
  await page.getByText('Allowed', { exact: true }).waitFor();

  const gone = await vendor.given.key({ project_id, name: 'Gone' });
  await vendor.as.liveKey('DELETE /v1/tenants/{id}', { id: gone.tenant_id });
  await explain(page, gone.key);
  await refuses('Not revoked', unauthorized('unknown_key'));
  const create = page.getByRole('link', { name: 'Create another key' });
  equal(await create.getAttribute('href'), `/w/${vendor.slug}/live/keys/new`);
  const stranger = await (await openVendor(t)).given.key();
  await explain(page, stranger.key);
  await refuses('Known', unauthorized('unknown_key'));
  const keys = page.getByRole('link', { name: 'View live keys' });
  equal(await keys.getAttribute('href'), `/w/${vendor.slug}/live/keys`);

  const { id: other } = await vendor.given.project();
  await visit(`${path}?project_id=${other}`);
  await explain(page, ends.key);
  await refuses('Project', unauthorized('unknown_key'));
  await button('Check against the key’s project').click();
  await page.getByText('Allowed', { exact: true }).waitFor();
  await vendor.as.liveKey('DELETE /v1/projects/{id}', { id: other });
  await visit(`${path}?project_id=${other}`);
  await explain(page, ends.key);
  await refuses('Project', unauthorized('project_deleted'));
  await page.getByRole('link', { name: 'View projects' }).click();
  await page.getByRole('heading', { level: 1, name: 'Projects' }).waitFor();
});

test("nodes are counted only if the key's project is known, and a revoked key is shown as revoked, not as unknown", async (t) => {
  const ground = await openGround(t);
  if (!ground) return;
  const { page, vendor, visit } = await ground.signIn();
  const key = await vendor.given.key();
  const asked = { project_id: key.project_id, node: 'connected' };
  await vendor.as.liveKey('GET /v1/policy/snapshot', asked);
  await visit(`/w/${vendor.slug}/live/explain`);
  const checks = page.getByRole('region', { name: 'Checks' });

  await explain(page, 'kr_live_garbage');
  await failed(page, 'Format').waitFor();
  match(await verdict(page), /Reason reported by nodes: malformed_key$/);
  doesNotMatch(await checks.innerText(), /connected|version/);
  await explain(page, key.key);
  await checks.getByText(/^Policy version \d+\. .*\b1 node\b/).waitFor();

  await vendor.as.liveKey('POST /v1/keys/{id}/disable', { id: key.id });
  await vendor.as.liveKey('POST /v1/keys/{id}/revoke', { id: key.id });
  await explain(page, key.key);
  await page.getByText('This key is revoked.').waitFor();
  await page.getByText('Reason reported by nodes: unknown_key').waitFor();
  const shown = await checks.innerText();
  match(shown, /was disabled on\s+\d+ \w+ \d{4}, [\d:]+ \w+/);
  doesNotMatch(shown, /\dT\d/, 'times are local');
});

test('a fix opened through a link is applied only after a dialog has shown the change and the tenant', async (t) => {
  const ground = await openGround(t);
  if (!ground) return;
  const { page, vendor, visit } = await ground.signIn();
  const tenant = await vendor.given.tenant({ name: 'Umbrella' });
  const place = { tenant_id: tenant.id, scopes: ['invoices:read'] };
  const key = await vendor.given.key({ ...place, name: 'Ours' });
  const written: string[] = [];
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url());
    const isRead = request.method() === 'GET' || /explain$|embed_tokens$/.test(pathname);
    if (!isRead && !search.includes('dry_run=true')) {
      written.push(`${request.method()} ${pathname} ${request.postData()}`);
    }
  });
  const wanted = ['payouts:write', 'admin:all'];
  await visit(`/w/${vendor.slug}/live/explain?key_id=${key.id}&scopes=${wanted.join('%20')}`);
  const dialog = page.getByRole('dialog');
  const asks = async (action: string) => {
    await page.getByRole('button', { name: action }).click();
    await dialog.getByText('Umbrella').waitFor();
    await dialog.getByText('Requests (24 h)').waitFor();
    deepEqual(written, [], action);
  };

  await asks('Add 2 scopes to live key');
  for (const scope of wanted) await dialog.getByText(scope, { exact: true }).waitFor();
  await ground.axe(page);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await asks('Add 2 scopes to live key');
  await dialog.getByRole('button', { name: 'Add 2 scopes to live key' }).click();
  await page.getByText('Allowed', { exact: true }).waitFor();
  const scopes = ['invoices:read', ...wanted];
  deepEqual(written.splice(0), [`PATCH /v1/keys/${key.id} ${JSON.stringify({ scopes })}`]);

  await vendor.as.liveKey('POST /v1/keys/{id}/disable', { id: key.id });
  await visit(`/w/${vendor.slug}/live/explain?key_id=${key.id}`);
  await asks('Enable live key');
  const { disabled_at } = await vendor.as.liveKey('GET /v1/keys/{id}', { id: key.id });
  ok(disabled_at !== null, 'still disabled');
});

test('a replaced key links to the new key, and a member sees no buttons that change a key', async (t) => {
  const ground = await openGround(t);
  if (!ground) return;
  const { page, vendor, visit } = await ground.signIn({ role: 'member' });
  const old = await vendor.given.key({ env: 'test', name: 'Old' });
  const successor = await vendor.as.liveKey('POST /v1/keys/{id}/rotate', {
    id: old.id,
    overlap_hours: 0,
  });
  await vendor.as.liveKey('POST /v1/keys/{id}/revoke', { id: old.id });
  await visit(`/w/${vendor.slug}/test/explain?key_id=${old.id}`);
  const link = page.getByRole('link', { name: 'Open new key' });
  equal(await link.getAttribute('href'), `/w/${vendor.slug}/test/keys/${successor.id}`);
  await vendor.as.liveKey('POST /v1/keys/{id}/disable', { id: successor.id });
  await explain(page, successor.key);
  await failed(page, 'Enabled').waitFor();
  equal(await page.getByRole('button', { name: /^Enable/ }).count(), 0);
  await page.getByRole('link', { name: 'Open key' }).waitFor();
});
