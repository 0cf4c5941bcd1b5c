// The workspace switcher finds workspaces by part of their name, and then opens the same kind of
// page.
import { equal } from 'node:assert/strict';
import { test } from 'node:test';
import { openGround } from '../../test/ground.ts';

const OTHERS = ['Globex', 'Initech', 'Umbrella', 'Hooli', 'Stark', 'Wayne'];

test('a workspace can be found by name with the keyboard', async (t) => {
  const ground = await openGround(t);
  if (!ground) return;
  const { page, vendor, visit } = await ground.signIn();
  const owner = await vendor.people.owner();
  const slugs: string[] = [];
  for (const name of OTHERS) {
    const slug = `${vendor.slug}-${name.toLowerCase()}`;
    await owner.call('POST /v1/workspaces', { name, slug });
    slugs.push(slug);
  }
  await visit(`/w/${vendor.slug}/test/tenants`);
  const button = page.getByRole('button', { name: /Switch workspace/ });
  // Wait until the menu library has loaded.
  await button.and(page.locator('[aria-haspopup]')).waitFor();
  await button.focus();
  await page.keyboard.press('Enter');
  const field = page.getByRole('combobox', { name: 'Find a workspace' });
  await field.waitFor();
  equal(
    await page.getByRole('option').count(),
    OTHERS.length + 2,
    'all workspaces, and an entry to create another',
  );
  await ground.axe(page);
  await page.keyboard.type('hoo');
  await page.getByRole('option', { name: 'Initech' }).waitFor({ state: 'detached' });
  equal(await page.getByRole('option', { name: 'Hooli' }).count(), 1);
  await page.keyboard.press('Escape');
  await field.waitFor({ state: 'detached' });
  equal(await button.evaluate((one) => one === document.activeElement), true);

  await page.keyboard.press('Enter');
  await field.waitFor();
  await page.keyboard.type('hoo');
  await page.getByRole('option', { name: 'Initech' }).waitFor({ state: 'detached' });
  await page.keyboard.press('Enter');
  await page.waitForURL(`**/w/${slugs[3]}/test/tenants`);
});
