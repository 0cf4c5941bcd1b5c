// The palette and the shortcuts: everything can be reached with the keyboard alone.
import { equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { openGround } from '../../test/ground.ts';
import { screens } from '../routes.ts';

const isRegistered = (path: string): boolean => screens.some((screen) => screen.path === path);

test('the palette goes, switches, finds and explains; letters go too', async (t) => {
  const ground = await openGround(t);
  if (!ground) return;
  const { page, vendor, visit } = await ground.signIn();
  const key = await vendor.given.key({ name: 'Warehouse', env: 'test' });
  const heading = (name: string) => page.getByRole('heading', { level: 1, name });
  await visit(`/w/${vendor.slug}/settings`);
  await heading('Settings').waitFor();

  await page.getByRole('button', { name: 'Search or go to' }).click();
  const input = page.getByRole('combobox', { name: 'Search or go to' });
  await input.fill('emb');
  await page.getByRole('option', { name: 'Go to Embed' }).waitFor();
  await ground.axe(page);
  await page.keyboard.press('Enter');
  await heading('Embed').waitFor();
  equal(await page.getByRole('dialog').count(), 0);

  await page.keyboard.press('Control+k');
  await input.fill('nothing like this');
  await page.getByText('Nothing matches.').waitFor();
  if (isRegistered('$env/keys')) {
    await input.fill('wareh');
    await page.getByRole('option', { name: /Warehouse/ }).waitFor();
    await input.fill(key.id);
    await page.getByRole('option', { name: /Warehouse/ }).click();
    await page.waitForURL(`**/test/keys/${key.id}`);
    await page.keyboard.press('Control+k');
  }
  if (isRegistered('$env/explain')) {
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await input.fill(key.key);
    await page.getByRole('option', { name: 'Explain the pasted key' }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL('**/test/explain');
    ok(!asked.some((url) => url.includes(key.key)), 'the key is in no address');
  } else {
    await page.keyboard.press('Escape');
  }

  await page.keyboard.press('g');
  await page.keyboard.press('i');
  await heading('Settings').waitFor();
  await page.keyboard.press('?');
  await page.getByRole('heading', { name: 'Keyboard shortcuts' }).waitFor();
  await ground.axe(page);
  await page.keyboard.press('Escape');
  await page.getByLabel('Name of the workspace').focus();
  await page.keyboard.press('g');
  await page.keyboard.press('b');
  equal(await page.getByLabel('Name of the workspace').inputValue(), 'Acmegb', 'letters are typed');
});
