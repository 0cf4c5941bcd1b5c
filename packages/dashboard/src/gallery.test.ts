// Every component in the gallery is accessible in both themes and at three widths, and can be used
// with the keyboard.
import { equal } from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { serveGallery } from '../test/gallery-server.ts';
import { openGround } from '../test/ground.ts';

async function openGallery(t: TestContext) {
  const ground = await openGround(t);
  if (!ground) return null;
  const { page } = await ground.visitor({ origin: await serveGallery(t) });
  await page.goto('/');
  await page.getByRole('application', { name: /^Latency/ }).waitFor();
  return { ground, page };
}

test('every component in the gallery is accessible', async (t) => {
  const opened = await openGallery(t);
  await opened?.ground.axe(opened.page);
});

test('dialogs, menus, comboboxes and charts can be used with the keyboard', async (t) => {
  const opened = await openGallery(t);
  if (!opened) return;
  const { ground, page } = opened;
  const focused = () => page.evaluate<string>('document.activeElement?.textContent');
  for (const name of ['dialog', 'sheet', 'confirmation']) {
    await page.getByRole('button', { name: `Open ${name}` }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    if (name !== 'sheet') await ground.axe(page);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    equal(await focused(), `Open ${name}`, 'the focus returns');
  }

  await page.getByRole('button', { name: 'Open dialog' }).click();
  await page.getByRole('button', { name: 'More about Backend' }).click();
  await page.getByRole('menuitem', { name: 'Copy ID' }).click({ trial: true });
  await page.keyboard.press('Escape');
  await page.getByRole('menu').waitFor({ state: 'detached' });
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });

  await page.getByRole('button', { name: 'Actions for Backend' }).first().focus();
  await page.keyboard.press('Enter');
  await page.getByRole('menuitem', { name: 'Edit' }).waitFor();
  await page.keyboard.press('ArrowDown');
  equal(await focused(), 'Rotate');
  await page.keyboard.press('Escape');
  await page.getByRole('menu').waitFor({ state: 'detached' });

  // A list that already shows the maximum number of pages doesn't load more. If it did, its
  // `loadMore` would throw.
  await page.getByText('Only the first 2 rows are shown.').scrollIntoViewIfNeeded();
  await page.getByRole('table', { name: 'Keys', exact: true }).waitFor();

  await page.getByLabel('Tenant').fill('ini');
  await page.getByRole('option', { name: 'Initech' }).waitFor();
  await page.keyboard.press('Enter');
  equal(await page.getByLabel('Tenant').inputValue(), 'Initech');

  const scopes = page.getByLabel('Scopes').last();
  await scopes.fill('a:b');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Remove a:b' }).waitFor();

  await page.getByRole('application', { name: /^Requests/ }).focus();
  await page.keyboard.press('ArrowRight');
  await page.getByText(/Allowed\s+200/).waitFor();
  await page.getByRole('button', { name: 'Show toast' }).click();
  await page.getByText('Backend disabled.').waitFor();
});
