// Takes the six screenshots for README.md and docs/dashboard.md at double resolution: node
// packages/dashboard/test/doc-pictures.ts docs/pictures. To make the files smaller, reduce them to
// a palette of 256 colours.
import { join } from 'node:path';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import type { Key } from './full-workspace.ts';
import { openGround, type SignedIn } from './ground.ts';
import { openStudio } from './studio.ts';

const [, , folder = 'pictures'] = process.argv;
const SIZE = { width: 1280, height: 800 };
/** Tall enough to show more of the overview than just its chart. */
const TALL = { ...SIZE, height: 976 };
/**
 * The screenshot shows a revocation that is faster than this. Slower revocations only happen on a
 * busy machine, so a screenshot of one would be misleading.
 */
const CALM_MS = 60;
const TRIES_MAX = 12;

async function sharpPage({ page, vendor }: SignedIn, baseURL: string): Promise<Page> {
  const { token, userId, email } = await vendor.people.owner();
  const context = await page.context().browser()?.newContext({
    baseURL,
    viewport: SIZE,
    deviceScaleFactor: 2,
    reducedMotion: 'reduce',
  });
  const sharp = await context?.newPage();
  if (!sharp) throw new Error('the browser is gone');
  await sharp.addInitScript(
    (session) => sessionStorage.setItem('keyrail.session', session),
    JSON.stringify({ token, userId, email }),
  );
  return sharp;
}

type Scheme = 'light' | 'dark';

async function shoot(page: Page, name: string, colorScheme: Scheme): Promise<void> {
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
  await page.mouse.move(0, 0);
  await page.waitForLoadState('networkidle');
  await page.screenshot({ path: join(folder, `${name}.png`) });
}

/** Revokes one key after another until a revocation is fast enough. */
async function watchRevocation(page: Page, keys: readonly Key[]): Promise<void> {
  for (const { id } of keys.slice(0, TRIES_MAX)) {
    await page.goto(`/w/acme/live/keys/${id}`);
    await page.getByRole('button', { name: 'Revoke live key' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Live nodes').waitFor();
    await dialog.getByLabel('Reason').fill('Leaked');
    await page.waitForLoadState('networkidle');
    await dialog.getByRole('button', { name: 'Revoke live key' }).click();
    const line = dialog.getByText(/^Rejected everywhere after/);
    await line.waitFor();
    const ms = Number(/[\d,]+(?= ms)/.exec((await line.textContent()) ?? '')?.[0].replace(',', ''));
    await shoot(page, 'revocation', 'dark');
    if (ms <= CALM_MS) return;
  }
}

test('every screenshot for the documentation is taken', async (t) => {
  const ground = await openGround(t);
  if (!ground) return;
  const { tabs, full } = await openStudio(t, ground);
  const { keys, projects } = full;
  const page = await sharpPage(tabs.owner, ground.origin);

  await page.goto('/w/acme/live/overview');
  await page.getByText('disabled key').waitFor();
  await page.setViewportSize(TALL);
  await shoot(page, 'overview', 'light');
  await page.setViewportSize(SIZE);

  await page.goto('/w/acme/live/keys');
  await page.getByText('Quarantined, expires').waitFor();
  await shoot(page, 'keys', 'dark');

  await page.goto(`/w/acme/live/explain?key_id=${keys[31]?.id}`);
  await page.getByText('Denied').waitFor();
  await shoot(page, 'explain', 'light');

  await page.goto('/w/acme/audit');
  await page.getByRole('button', { name: 'Verify log' }).click();
  await page.getByText('Verify again').waitFor();
  await shoot(page, 'audit', 'dark');

  await page.goto(`/w/acme/live/keys/${keys[10]?.id}`);
  await page.getByRole('button', { name: 'Rotate' }).click();
  await page.getByRole('button', { name: 'Rotate live key' }).click();
  await page.getByText('It won’t be shown again').waitFor();
  await shoot(page, 'reveal', 'light');
  await page.getByRole('button', { name: 'Copy key' }).click();

  const billing = keys.filter((key) => key.project_id === projects[0]?.id && key.env === 'live');
  await watchRevocation(page, billing.slice(1));
  await page.context().close();
});
