// Announcements to screen readers.
import { equal } from 'node:assert/strict';
import { test } from 'node:test';
import { openGround } from '../../../test/ground.ts';

test('announcements about a list are removed when the user leaves the list', async (t) => {
  const ground = await openGround(t);
  if (!ground) return;
  const { page, vendor, visit } = await ground.signIn();
  const said = () => page.locator('p[aria-live=polite]').last().textContent();
  const titled = (name: string) => page.getByRole('heading', { level: 1, name }).waitFor();

  await visit(`/w/${vendor.slug}/test/tenants`);
  await page.getByText('The list is empty.').waitFor({ state: 'attached' });
  await page.getByRole('link', { name: 'Overview' }).click();
  await page.getByRole('heading', { name: 'No requests yet' }).waitFor();
  equal(await said(), '');
  await vendor.given.tenant();
  await visit(`/w/${vendor.slug}/test/tenants`);
  await page.getByText('Tenants: 1 row').waitFor({ state: 'attached' });
  await page.getByRole('link', { name: 'Settings' }).click();
  await titled('Settings');
  equal(await said(), '');
  await visit('/w/nowhere/test/keys');
  await titled('Workspace not found');
  equal(await said(), '');
});
