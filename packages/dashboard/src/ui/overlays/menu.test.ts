// Menus whose library hasn't loaded yet.
import { test } from 'node:test';
import { openGround } from '../../../test/ground.ts';

test('a click on a menu button opens the menu once its library has loaded', async (t) => {
  const ground = await openGround(t);
  if (!ground) return;
  const { page, vendor } = await ground.signIn();
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(/\/assets\/menu-popup-/, async (route) => {
    await released;
    await route.continue();
  });
  await page.goto(`${ground.origin}/w/${vendor.slug}/live/keys`);
  await page.getByRole('button', { name: /^Account/ }).click();
  release();
  await page.getByRole('menuitem', { name: 'Sign out' }).waitFor();
});
