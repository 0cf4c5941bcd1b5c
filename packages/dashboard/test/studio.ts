// Prepares the workspaces and browser tabs for the screenshots, and takes them.
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { Page } from 'playwright-core';
import { dialogShots } from './dialog-shots.ts';
import { fullWorkspace } from './full-workspace.ts';
import { type Ground, openVendor, type SignedIn, type Vendor } from './ground.ts';
import { longWorkspace } from './long-workspace.ts';
import { startNodes } from './nodes.ts';
import { type Shot, screenShots, widthsOf } from './shots.ts';

const THEMES = ['light', 'dark'] as const;
const HEIGHT = 900;
const SHOW_ALL = `for (const group of document.querySelectorAll('[role=rowgroup]')) {
  group.style.contentVisibility = 'visible';
}`;
const SETTLED = `document.fonts.ready.then(() => new Promise((done) => {
  requestAnimationFrame(() => requestAnimationFrame(() => done(true)));
}))`;

/**
 * The folder for the screenshots, and the widths and themes to take them in. An empty list means
 * all of them.
 */
export type Camera = { folder: string; widths: readonly number[]; themes: readonly string[] };

type Tabs = Record<'owner' | 'member' | 'empty' | 'long', SignedIn> & {
  visitor: Awaited<ReturnType<Ground['visitor']>>;
};

export async function openStudio(t: TestContext, ground: Ground) {
  const full = await fullWorkspace(t);
  const { vendor, keys, secretKey, projects, tenants } = full;
  const [first, second] = projects.map(({ id }) => id);
  await connectNodes(t, { url: ground.origin, vendor, projects: [first ?? '', second ?? ''] });
  const long = await longWorkspace(t);
  const tabs: Tabs = {
    owner: await ground.signIn({ vendor }),
    member: await ground.signIn({ vendor, role: 'member' }),
    empty: await ground.signIn({ vendor: await openVendor(t) }),
    long: await ground.signIn({ vendor: long.vendor }),
    visitor: await ground.visitor(),
  };
  const objects = {
    key: keys[10]?.id ?? '',
    secretKey,
    project: projects[0]?.slug ?? '',
    tenant: tenants[0]?.id ?? '',
  };
  const states = ['full', 'error', 'loading', 'member', 'empty'] as const;
  const shots = [
    ...states.flatMap((state) => screenShots(state, objects)),
    ...screenShots('test', { ...objects, key: keys[17]?.id ?? '' }),
    ...screenShots('long', long),
    ...dialogShots(full),
  ];
  return { tabs, shots, full };
}

type Place = { url: string; vendor: Vendor; projects: readonly [string, string] };

/**
 * Connects four nodes of one project that stay current, and one node of another project that polls
 * only once.
 */
async function connectNodes(t: TestContext, { url, vendor, projects }: Place): Promise<void> {
  const [projectId, other] = projects;
  const poll = { project_id: other, since: 0, node: 'orders-fra-1' };
  await vendor.as.liveKey('GET /v1/policy/delta', poll);
  const place = { url, secretKey: vendor.tokens.liveKey, projectId };
  await startNodes(t, ['api-fra-1', 'api-fra-2', 'api-iad-1', 'api-sin-1'], place);
}

export async function take(tabs: Tabs, shot: Shot, camera: Camera): Promise<void> {
  const { state, isOpen, act } = shot;
  const isOwn = state === 'member' || state === 'empty' || state === 'long';
  const tab = tabs[isOwn ? state : 'owner'];
  const { page } = isOpen ? tabs.visitor : tab;
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  const isHurt = state === 'error' || state === 'loading';
  if (isHurt) await hurt(page, state);
  await page.goto(shot.path.replace('{slug}', tab.vendor.slug));
  await page.locator('h1').first().waitFor();
  // While reads fail or get no response, the network never becomes idle. Wait for a fixed time
  // instead, because skeletons appear after a delay.
  if (isHurt) await page.waitForTimeout(400);
  else await page.waitForLoadState('networkidle');
  if (act) {
    await act(tab);
    await page.waitForLoadState('networkidle');
  }
  await picture(page, shot.name, { ...camera, widths: widthsIn(camera, widthsOf(shot)) });
}

const widthsIn = ({ widths }: Camera, own: readonly number[]): readonly number[] =>
  widths.length === 0 ? own : own.filter((width) => widths.includes(width));

/** Makes reads fail or never respond, so that only the frame loads. */
async function hurt(page: Page, state: 'error' | 'loading'): Promise<void> {
  await page.route(/\/(v1\/(?!auth\/me|deployment)|status|readyz)/, async (route) => {
    if (route.request().method() !== 'GET') return route.continue();
    if (state === 'loading') return;
    const error = { code: 'internal', message: 'An internal error occurred.' };
    const headers = { 'x-request-id': '0190f3a1-7c8e-7cc2-b2a5-1f0a4c1e9d33' };
    await route.fulfill({ status: 500, headers, json: { error } });
  });
}

export async function picture(page: Page, name: string, camera: Camera): Promise<void> {
  for (const width of camera.widths) {
    await page.setViewportSize({ width, height: HEIGHT });
    for (const colorScheme of THEMES) {
      if (camera.themes.length > 0 && !camera.themes.includes(colorScheme)) continue;
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await page.evaluate(SETTLED);
      // Makes the browser render everything. Otherwise, parts it skips while they are out of view
      // would be missing from the screenshot.
      await page.evaluate(SHOW_ALL);
      const isOpen = (await page.locator('dialog[open]').count()) > 0;
      const path = join(camera.folder, `${name}-${width}-${colorScheme}.png`);
      await page.screenshot({ path, fullPage: !isOpen });
    }
  }
}
