// The audit log: rows as sentences, filters, one row, and the chain checked in the browser.
import { equal, match } from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { openGround, type Vendor } from '../../../test/ground.ts';

const chain = (page: Page) => page.getByRole('region', { name: 'The chain, checked here' });

async function check(page: Page): Promise<void> {
  await chain(page)
    .getByRole('button', { name: /^Check/ })
    .click();
}

/** Bypasses every trigger, which only a superuser can do. */
const edit = ({ testApp }: Vendor, text: string) =>
  testApp.beyond(`set local session_replication_role = replica; ${text}`);

test('rows are sentences that can be filtered, opened and exported', async (t) => {
  const ground = await openGround(t);
  if (!ground) return;
  const { page, vendor, visit } = await ground.signIn();
  const { call } = await vendor.people.owner();
  const key = await vendor.given.key({ env: 'test', name: 'Backend', scopes: ['a:read'] });
  await call('PATCH /v1/keys/{id}', { id: key.id, name: 'Importer', scopes: ['b:read'] });
  await visit(`/w/${vendor.slug}/audit`);
  const rows = page.getByRole('table', { name: 'Audit rows' });
  await rows.getByText('changed name, scopes of key').waitFor();
  await rows.getByRole('link', { name: 'Importer' }).first().waitFor();
  await ground.axe(page);

  await page.getByLabel('Action').selectOption('api_key.*');
  await rows.getByText('created project').waitFor({ state: 'detached' });
  await page.reload();
  equal(new URL(page.url()).search, '?action=api_key.*', 'a filter survives a reload');
  await rows.getByRole('link', { name: /^Row/ }).first().click();
  const sheet = page.getByRole('dialog');
  await sheet.getByText('Derived here: fits').waitFor();
  await sheet.getByText('Links to the row before').waitFor();
  await sheet.getByText('b:read', { exact: true }).waitFor();
  await page.keyboard.press('Escape');
  await sheet.waitFor({ state: 'detached' });
  equal(new URL(page.url()).search, '?action=api_key.*', 'the list is as before');

  await page.getByLabel('Go to row').fill('1');
  await page.keyboard.press('Enter');
  await sheet.getByText('founded the workspace').waitFor();
  await page.keyboard.press('Escape');
  const saved = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export' }).click();
  match((await saved).suggestedFilename(), /^audit-.*\.jsonl$/);
  await visit(`/w/${vendor.slug}/audit/999999`);
  await sheet.getByText('No such row').waitFor();
});

test('a changed byte is named by its row, and a cut end by the remembered head', async (t) => {
  const ground = await openGround(t);
  if (!ground) return;
  const { page, vendor, visit } = await ground.signIn();
  for (let n = 0; n < 12; n += 1) await vendor.given.tenant();
  await visit(`/w/${vendor.slug}/audit`);
  await check(page);
  await chain(page).getByText('rows, whole').waitFor();
  await chain(page).getByText('It comes to the same result').waitFor();
  await chain(page).getByText('This is the first check in this browser').waitFor();
  const { head_seq: seq } = await vendor.as.liveKey('GET /v1/audit_logs/chain');

  await page.reload();
  await chain(page).getByText(`Last checked here up to row ${seq}`).waitFor();
  await check(page);
  await chain(page).getByText(`Row ${seq} is still the row that was seen here`).waitFor();

  const mine = `workspace_id = '${vendor.workspaceId}'`;
  const hash = `select hash from audit_logs where ${mine} and seq = ${seq - 1}`;
  await edit(
    vendor,
    `delete from audit_logs where ${mine} and seq = ${seq};
     update audit_heads set seq = ${seq - 1}, hash = (${hash}) where ${mine}`,
  );
  await check(page);
  await chain(page).getByText(`Broken at row ${seq}`).waitFor();
  await chain(page).getByText('The end was cut off').waitFor();
  await chain(page).getByText('It says that the log is whole').waitFor();

  const changed = `payload = replace(payload, 'customer', 'costumer')`;
  await edit(vendor, `update audit_logs set ${changed} where ${mine} and seq = 9`);
  await check(page);
  await chain(page).getByText('Broken at row 9').waitFor();
  await chain(page).getByText('Row 9 was changed').waitFor();
  await chain(page).getByText('It names row 9 too').waitFor();
  await chain(page).getByRole('link', { name: 'Open row 9' }).click();
  await page.getByRole('dialog').getByText('Derived here: does not fit').waitFor();
});
