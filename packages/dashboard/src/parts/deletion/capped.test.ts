// A deletion that affects more keys than a dry run can count.
import { deepEqual } from 'node:assert/strict';
import { test } from 'node:test';
import { IMPACT_KEYS_MAX } from '@keyrail/protocol/wire/limits.ts';
import { importMany } from '@keyrail/testing/imports.ts';
import { openGround } from '../../../test/ground.ts';

test('if a deletion affects more than 10,000 keys, the numbers in its impact are shown as lower bounds', async (t) => {
  const ground = await openGround(t);
  if (!ground) return;
  const { page, vendor, visit } = await ground.signIn();
  const { id: project_id, slug } = await vendor.given.project();
  const { id: tenant_id } = await vendor.given.tenant();
  await importMany(vendor, { project_id, tenant_id }, IMPACT_KEYS_MAX + 1);

  await visit(`/w/${vendor.slug}/live/projects/${slug}`);
  await page.getByText('Keys using these limits, live and test: more than 10,000.').waitFor();
  await page.getByRole('button', { name: 'Edit limits' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Keys affected, live and test: more than 10,000.').waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });

  await page.getByRole('button', { name: 'Delete project' }).click();
  await dialog.getByText('This affects more than 10,000 keys.').waitFor();
  const facts = await dialog.locator('dl > div').allInnerTexts();
  deepEqual(
    facts.map((fact) => fact.split(/\n+/)),
    [
      ['Active keys', 'at least 10,000'],
      ['Requests (24 h)', 'at least 0'],
      ['Requests (7 d)', 'at least 0'],
      ['Last used', 'unknown'],
      ['Live nodes', 'at least 0'],
    ],
  );
  await ground.axe(page);
});
