// The audit log: entries as sentences, filters, single entries, and verification in the browser.
import { equal, match } from 'node:assert/strict';
import { test } from 'node:test';
import { longAuditLog } from '@keyrail/testing/long-audit-log.ts';
import type { Page } from 'playwright-core';
import { openGround, PLAIN_HOST, type Vendor } from '../../../test/ground.ts';

const chain = (page: Page) => page.getByRole('region', { name: 'Verify the log' });

async function check(page: Page): Promise<void> {
  await chain(page)
    .getByRole('button', { name: /^Verify/ })
    .click();
}

/** Edits the database as a superuser, bypassing the triggers that protect the audit log. */
const edit = ({ testApp }: Vendor, text: string) =>
  testApp.beyond(`set local session_replication_role = replica; ${text}`);

test('entries are shown as sentences, and can be filtered, opened and exported', async (t) => {
  const ground = await openGround(t);
  if (!ground) return;
  const { page, vendor, visit } = await ground.signIn();
  const { call } = await vendor.people.owner();
  const key = await vendor.given.key({ env: 'test', name: 'Backend', scopes: ['a:read'] });
  await call('PATCH /v1/keys/{id}', { id: key.id, name: 'Importer', scopes: ['b:read'] });
  await visit(`/w/${vendor.slug}/audit`);
  const rows = page.getByRole('table', { name: 'Audit log entries' });
  await rows.getByText('updated the name and scopes of key').waitFor();
  await rows.getByRole('link', { name: 'Importer' }).first().waitFor();
  await ground.axe(page);

  await page.getByLabel('Action').selectOption('api_key.*');
  await rows.getByText('created project').waitFor({ state: 'detached' });
  await page.reload();
  equal(new URL(page.url()).search, '?action=api_key.*', 'a filter survives a reload');
  await rows
    .getByRole('link', { name: /^Entry/ })
    .first()
    .click();
  const sheet = page.getByRole('dialog');
  await sheet.getByText('Recomputed here: matches').waitFor();
  await sheet.getByText('Links to the previous entry').waitFor();
  await sheet.getByText('b:read', { exact: true }).waitFor();
  await page.keyboard.press('Escape');
  await sheet.waitFor({ state: 'detached' });
  equal(new URL(page.url()).search, '?action=api_key.*', 'the list is unchanged');

  await page.getByLabel('Go to entry').fill('1');
  await page.keyboard.press('Enter');
  await sheet.getByText('created the workspace').waitFor();
  await page.keyboard.press('Escape');
  const saved = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export' }).click();
  match((await saved).suggestedFilename(), /^audit-.*\.jsonl$/);
  // Visit other screens in between, because they cache the lists that the audit log also loads
  // names from.
  for (const name of ['Members', 'Audit log', 'Secret keys', 'Audit log', 'Projects']) {
    const navigation = page.getByRole('navigation', { name: 'Workspace' });
    await navigation.getByRole('link', { name, exact: true }).click();
    await page.getByRole('heading', { level: 1, name }).waitFor();
  }
  await visit(`/w/${vendor.slug}/audit/999999`);
  await sheet.getByText('Entry not found').waitFor();
});

/** Enough entries to span several pages, both in the list and during verification. */
const ROWS = 450;

test('verification detects an edited entry, and entries removed from the end since the last verification', async (t) => {
  const ground = await openGround(t);
  if (!ground) return;
  const { page, vendor, visit } = await ground.signIn();
  const { project_id } = await vendor.given.key();
  await edit(vendor, longAuditLog({ workspaceId: vendor.workspaceId, rows: ROWS }));
  await vendor.as.liveKey('PATCH /v1/projects/{id}', { id: project_id, name: 'Renamed' });
  await visit(`/w/${vendor.slug}/audit`);
  // After the next page of entries has loaded, the first page still shows names.
  const rows = page.getByRole('table', { name: 'Audit log entries' }).getByRole('row');
  await page.getByRole('link', { name: 'Renamed' }).first().waitFor();
  await page.getByRole('button', { name: 'Show more' }).scrollIntoViewIfNeeded();
  await rows.nth(150).waitFor({ state: 'attached' });
  equal(await page.getByRole('link', { name: 'Renamed' }).count(), 1);
  await page.evaluate('scrollTo(0, 0)');
  await check(page);
  await chain(page).getByText('entries, intact').waitFor();
  await chain(page).getByText('The server agrees').waitFor();
  await chain(page).getByText('This is the first verification in this browser').waitFor();
  const { head_seq: seq } = await vendor.as.liveKey('GET /v1/audit_logs/chain');

  await page.reload();
  await chain(page).getByText(`Last verified here up to entry ${seq}`).waitFor();
  await check(page);
  await chain(page).getByText(`Entry ${seq} is unchanged since this browser saw it`).waitFor();

  const mine = `workspace_id = '${vendor.workspaceId}'`;
  const hash = `select hash from audit_logs where ${mine} and seq = ${seq - 1}`;
  await edit(
    vendor,
    `delete from audit_logs where ${mine} and seq = ${seq};
     update audit_heads set seq = ${seq - 1}, hash = (${hash}) where ${mine}`,
  );
  await check(page);
  await chain(page).getByText(`Broken at entry ${seq}`).waitFor();
  await chain(page).getByText('The end of the log has been cut off').waitFor();
  await chain(page).getByText('The server says the log is intact').waitFor();

  const changed = `payload = replace(payload, 'name', 'mane')`;
  const restored = `payload = replace(payload, 'mane', 'name')`;
  await edit(vendor, `update audit_logs set ${changed} where ${mine} and seq = 309`);
  await check(page);
  await chain(page).getByText('Broken at entry 309').waitFor();
  await chain(page).getByText('Entry 309 has been altered').waitFor();
  await chain(page).getByText('The server reports the same break, at entry 309').waitFor();
  await chain(page).getByRole('link', { name: 'Open entry 309' }).click();
  await page.getByRole('dialog').getByText('Recomputed here: doesn’t match').waitFor();

  // Over plain HTTP, hashes are computed without WebCrypto, with the same result.
  const origin = ground.origin.replace('127.0.0.1', PLAIN_HOST);
  const plain = await ground.signIn({ vendor, origin });
  await plain.visit(`/w/${vendor.slug}/audit`);
  equal(await plain.page.evaluate('typeof crypto.subtle'), 'undefined');
  await check(plain.page);
  await chain(plain.page).getByText('Broken at entry 309').waitFor();
  await edit(vendor, `update audit_logs set ${restored} where ${mine} and seq = 309`);
  await check(plain.page);
  await chain(plain.page).getByText('entries, intact').waitFor();
  await chain(plain.page)
    .getByText('Hashed in JavaScript, because this page isn’t served over HTTPS.')
    .waitFor();
});
