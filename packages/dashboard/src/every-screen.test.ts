// Laws of every registered screen: it opens cold and reloaded, is accessible in both themes at three
// widths, has no control that a role may not use, and leaves no secret behind.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { openGround, openVendor, type Vendor } from '../test/ground.ts';
import { screens } from './routes.ts';

type Address = { path: string; frame: string; isTest: boolean };

/** Names of objects for the parameters of paths, by the word before them. */
async function objectsOf({ given, as, slug }: Vendor) {
  const project = await given.project({ name: 'Billing API', slug: 'billing' });
  const tenant = await given.tenant({ external_id: 'globex', name: 'Globex' });
  const ids = { project_id: project.id, tenant_id: tenant.id, scopes: ['invoices:read'] };
  const keys = {
    live: await given.key({ ...ids, name: 'Backend', env: 'live' }),
    test: await given.key({ ...ids, name: 'Backend, test', env: 'test' }),
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

type Objects = Awaited<ReturnType<typeof objectsOf>>;

function addressesOf({ slug, named }: Objects): Address[] {
  return screens
    .filter(({ path }) => path !== '$')
    .flatMap(({ frame, path, env }) => {
      const envs = path.startsWith('$env/') ? (['live', 'test'] as const) : [env ?? 'live'];
      return envs.map((one) => ({
        path: `${frame === 'workspace' ? `/w/${slug}` : ''}/${filled(path, one, named(one))}`,
        frame,
        isTest: one === 'test' || !path.startsWith('$env/'),
      }));
    });
}

const filled = (path: string, env: string, names: Record<string, string | undefined>): string =>
  path.replace('$env', env).replaceAll(/([\w-]+)\/\$\w+/g, (_, kind: string) => {
    ok(names[kind], `this test knows no object for ${path}`);
    return `${kind}/${names[kind]}`;
  });

const heading = async (page: Page): Promise<string> => {
  await page.locator('h1').waitFor();
  // Every read has been answered: skeletons are gone.
  await page.waitForLoadState('networkidle');
  await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
  return (await page.locator('h1').textContent()) ?? '';
};

const KEPT = `[location.href, JSON.stringify(history.state), JSON.stringify({ ...localStorage }),
  JSON.stringify({ ...sessionStorage, 'keyrail.session': '' }),
  document.documentElement.outerHTML].join('\\n')`;
const WHOLE_KEY = /kr(sk|ses)?_(live|test)_[A-Za-z0-9_-]{24,}/;

test('every screen opens cold and reloaded, is accessible, and keeps no secret', async (t) => {
  const ground = await openGround(t);
  if (!ground) return;
  const owner = await ground.signIn();
  const visitor = await ground.visitor();
  const objects = await objectsOf(owner.vendor);
  for (const { path, frame, isTest } of addressesOf(objects)) {
    const { page, visit } = frame === 'open' ? visitor : owner;
    await visit(path);
    const title = await heading(page);
    ok(title !== '' && title !== 'No such page', path);
    ok((await page.title()).includes('Keyrail'), path);
    equal(await page.locator('h1').count(), 1, `${path} has one heading of the first rank`);
    deepEqual(await page.getByRole('alert').allTextContents(), [], path);
    const address = page.url();
    // The frame of test has more colours than that of live.
    if (isTest) await ground.axe(page).catch((error: Error) => rethrow(path, error));
    await page.reload();
    equal(await heading(page), title, `${path} reloaded`);
    equal(page.url(), address, `${path} keeps its address`);
    const kept: string = await page.evaluate(KEPT);
    ok(!objects.secrets.some((key) => kept.includes(key)), `a key is kept by ${path}`);
    ok(!WHOLE_KEY.test(kept), `something like a key is kept by ${path}`);
  }
  await owner.page.goBack();
  await owner.page.goForward();
  await heading(owner.page);
});

function rethrow(path: string, error: Error): never {
  error.message = `${path}: ${error.message}`;
  throw error;
}

const CONTROLS =
  'main button:not([aria-disabled=true], [disabled], [role=tab], [aria-haspopup]):visible';
const CONTROLS_MAX = 25;
const PASSES = /copy|download|export|shortcut|end .*session/i;

/** Presses each control of the screen on a page of its own, and closes what it opened. */
async function pressControls(page: Page, again: () => Promise<unknown>): Promise<void> {
  const names = await page
    .locator(CONTROLS)
    .evaluateAll((all) =>
      all.map((one) => one.getAttribute('aria-label') ?? one.textContent ?? ''),
    );
  for (const [at, name] of names.slice(0, CONTROLS_MAX).entries()) {
    if (PASSES.test(name)) continue;
    const control = page.locator(CONTROLS).nth(at);
    if (!(await control.isVisible())) continue;
    await control.click();
    await page.waitForLoadState('networkidle');
    await again();
  }
}

for (const role of ['admin', 'member'] as const) {
  test(`a ${role} meets no control that is refused`, async (t) => {
    const ground = await openGround(t);
    if (!ground) return;
    ground.expects(400);
    const vendor = await openVendor(t);
    const objects = await objectsOf(vendor);
    const { page, visit } = await ground.signIn({ role, vendor });
    const refused: string[] = [];
    const changes: string[] = [];
    page.on('response', (response) => {
      if (response.status() === 403) refused.push(`${page.url()}: ${response.url()}`);
    });
    page.on('request', (request) => {
      const isRead = request.method() === 'GET' || /explain|current\/workspace/.test(request.url());
      if (!isRead) changes.push(`${page.url()}: ${request.method()} ${request.url()}`);
    });
    for (const { path, frame } of addressesOf(objects)) {
      if (frame !== 'workspace') continue;
      const open = async () => {
        await visit(path);
        return heading(page);
      };
      ok((await open()) !== 'No such page', path);
      if (role === 'member') await pressControls(page, open);
    }
    deepEqual(refused, []);
    if (role === 'member') deepEqual(changes, [], 'a member has no control that changes something');
  });
}
