// A URL for every registered screen, for tests that visit all of them.
import { deepEqual, equal, ok } from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { isFullRun } from '@keyrail/testing/full-run.ts';
import type { Page } from 'playwright-core';
import { rowOf, screenNames } from '../src/screens.ts';
import { axeFaults } from './axe.ts';
import { openGround, type SignedIn, type Vendor } from './ground.ts';

type Address = { path: string; frame: string; isTest: boolean };

/** The longest name the API allows, without spaces. */
const LONG = 'W'.repeat(200);

type Names = { project: string; tenant: string; externalId: string; key: string; scope: string };

const plainNames: Names = {
  project: 'Billing API',
  tenant: 'Globex',
  externalId: 'globex',
  key: 'Backend',
  scope: 'invoices:read',
};
export const longNames: Names = {
  project: LONG,
  tenant: LONG,
  externalId: LONG,
  key: LONG,
  scope: LONG,
};

/**
 * Creates the objects whose pages are visited. `named` returns the objects' IDs, keyed by the path
 * segment before the ID, such as `keys`.
 */
export async function objectsOf({ given, as, slug }: Vendor, names = plainNames) {
  const project = await given.project({ name: names.project, slug: 'billing' });
  const tenant = await given.tenant({ external_id: names.externalId, name: names.tenant });
  const ids = { project_id: project.id, tenant_id: tenant.id, scopes: [names.scope] };
  const keys = {
    live: await given.key({ ...ids, name: names.key, env: 'live' }),
    test: await given.key({ ...ids, name: names.key, env: 'test' }),
  };
  const { data: secrets } = await as.liveKey('GET /v1/secret_keys');
  const named = (env: 'live' | 'test'): Record<string, string | undefined> => ({
    keys: keys[env].id,
    tenants: tenant.id,
    projects: project.slug,
    audit: '1',
    'secret-keys': secrets.find((one) => one.env === env)?.id,
  });
  return { slug, named, secrets: [keys.live.key, keys.test.key] };
}

export type Objects = Awaited<ReturnType<typeof objectsOf>>;

export function addressesOf({ slug, named }: Objects): Address[] {
  return screenNames.map(rowOf).flatMap(({ frame, path, env }) => {
    const envs = path.includes('$env') ? (['live', 'test'] as const) : [env ?? 'live'];
    return envs.map((one) => ({
      path: filled(path.replace('$slug', slug).replace('$env', one), named(one)),
      frame,
      isTest: one === 'test' || !path.includes('$env'),
    }));
  });
}

const filled = (path: string, names: Record<string, string | undefined>): string =>
  path.replaceAll(/([\w-]+)\/\$\w+/g, (_, kind: string) => {
    ok(names[kind], `this test has no object for ${path}`);
    return `${kind}/${names[kind]}`;
  });

export const heading = async (page: Page): Promise<string> => {
  await page.locator('h1').waitFor();
  // Once there are no skeletons left, all data has loaded.
  await page.getByText('Loading', { exact: true }).first().waitFor({ state: 'detached' });
  return (await page.locator('h1').textContent()) ?? '';
};

const KEPT = `[location.href, JSON.stringify(history.state), JSON.stringify({ ...localStorage }),
  JSON.stringify({ ...sessionStorage, 'keyrail.session': '' }),
  document.documentElement.outerHTML].join('\\n')`;
const WHOLE_KEY = /kr(sk|ses)?_(live|test)_[A-Za-z0-9_-]{24,}/;

/**
 * Opens every nth screen, each with a new page load. Accessibility and, in the full run, reloading
 * are only checked in the test environment, whose frame has more colours.
 */
export async function walkShare(t: TestContext, share: number, shares: number): Promise<void> {
  const ground = await openGround(t);
  if (!ground) return;
  const owner = await ground.signIn();
  const visitor = await ground.visitor();
  const objects = await objectsOf(owner.vendor, longNames);
  const { keys: id } = objects.named('test');
  await owner.vendor.as.liveKey('POST /v1/keys/{id}/disable', { id, reason: LONG });
  const all = addressesOf(objects).filter((_, at) => at % shares === share);
  for (const { path, frame, isTest } of all) {
    const { page, visit } = frame === 'open' ? visitor : owner;
    await visit(path);
    const title = await heading(page);
    ok(title !== '' && title !== 'Page not found', path);
    ok((await page.title()).includes('Keyrail'), path);
    equal(await page.locator('h1').count(), 1, `${path} has one level-1 heading`);
    deepEqual(await page.getByRole('alert').allTextContents(), [], path);
    if (isTest && isFullRun) await reloaded(page, { path, title });
    const kept: string = await page.evaluate(KEPT);
    ok(!objects.secrets.some((key) => kept.includes(key)), `${path} keeps a key`);
    ok(!WHOLE_KEY.test(kept), `${path} keeps something that looks like a key`);
    if (isTest) deepEqual(await axeFaults(page), [], path);
  }
  await nowhere(owner, share);
  await owner.page.goBack();
  await heading(owner.page);
  await owner.page.goForward();
  await heading(owner.page);
}

/** Opens a URL that has no page, either in an existing workspace or in an unknown one. */
async function nowhere({ page, visit, vendor }: SignedIn, share: number): Promise<void> {
  const path = [`/w/${vendor.slug}/nowhere`, '/w/no-workspace/live/keys'][share];
  if (path === undefined) return;
  await visit(path);
  await heading(page);
  deepEqual(await axeFaults(page), [], path);
}

/** Checks that a reload shows the same page at the same URL. */
async function reloaded(page: Page, { path, title }: { path: string; title: string }) {
  const address = page.url();
  await page.reload();
  equal(await heading(page), title, `${path} reloaded`);
  equal(page.url(), address, `${path} keeps its address`);
}
