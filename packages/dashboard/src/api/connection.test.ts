// During an outage, after a lost response, on a slow network or after a new build, the page keeps
// its content and the user's input, and no change is made twice.
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import type { Page, Request, Route } from 'playwright-core';
import { openGround } from '../../test/ground.ts';
import { ownServer } from '../../test/own-server.ts';

const NO_CONNECTION = /^Failed to load resource: net::ERR_/;

/** How many times a failing read is sent: once, plus the client's two retries. */
const ATTEMPTS = 3;

/**
 * Returns true if a request that was reported as failed did get a response. Chromium may report a
 * response as aborted even after the page has read all of it.
 */
const isRead = (request: Request) => request.failure()?.errorText === 'net::ERR_ABORTED';

const bar = (page: Page) => page.getByText('Can’t reach the server. Showing data from');
const nameOf = (page: Page) => page.getByRole('textbox', { name: /^Name/ });
const titled = (page: Page, name: string) => page.getByRole('heading', { level: 1, name });

test('a page keeps its contents while the server is down, and recovers when the server is back', async (t) => {
  const ground = await openGround(t);
  if (!ground) return;
  ground.expectsErrors(NO_CONNECTION);
  const server = await ownServer(t);
  const { page, vendor, visit } = await ground.signIn({ origin: server.origin });
  const key = await vendor.given.key({ name: 'Backend', env: 'test' });
  await page.clock.install();
  await visit(`/w/${vendor.slug}/test/keys`);
  await page.getByRole('link', { name: 'Backend' }).waitFor();
  await page.getByRole('link', { name: 'Create key' }).click();
  await nameOf(page).fill('Half-typed');
  await page.evaluate('globalThis.mark = 1');

  await server.stop();
  await page.getByRole('combobox', { name: 'Project' }).fill('Ord');
  await bar(page).waitFor();
  match((await bar(page).textContent()) ?? '', /from \d\d:\d\d [\w+:-]+\.$/);
  await page.getByText(/^Retrying in \d+ seconds?\.$/).waitFor();
  const isProbe = (one: { url(): string }) => one.url().endsWith('/healthz');
  await page.waitForEvent('requestfailed', isProbe);
  await Promise.all([
    page.waitForEvent('requestfailed', isProbe),
    page.getByRole('button', { name: 'Try again' }).click(),
  ]);
  await server.start();
  await bar(page).waitFor({ state: 'detached' });
  await page.getByRole('combobox', { name: 'Project' }).click();
  await page.getByRole('option', { name: 'Orders' }).click();
  equal(await nameOf(page).inputValue(), 'Half-typed', 'the form keeps its contents');

  // During an outage, a list keeps its rows without showing an error in each section, and reloads
  // when the server is back. First wait for the list's background reload to finish: if the server
  // stopped before that, the reload would fail and count as one of the attempts below.
  const listRead = page.waitForResponse((one) => one.url().includes('/v1/keys?'));
  await page.getByRole('link', { name: 'Keys', exact: true }).first().click();
  await page.getByRole('link', { name: 'Backend' }).waitFor();
  await listRead;
  // Stop the page's timers. If polling noticed the outage first, the list would wait for the server
  // instead of sending the requests counted below.
  await page.clock.pauseAt(Number(await page.evaluate('Date.now()')) + 1000);
  await server.stop();
  // The user returns to the tab after a while. The list is requested three times, and each request
  // fails.
  let failures = 0;
  const inVain = page.waitForEvent('requestfailed', (one) => {
    if (one.url().includes('/v1/keys?') && !isRead(one)) failures += 1;
    return failures === ATTEMPTS;
  });
  await page.clock.fastForward(10_000);
  await page.evaluate("dispatchEvent(new Event('visibilitychange'))");
  await page.clock.resume();
  await inVain;
  await bar(page).waitFor();
  await page.waitForEvent('requestfailed', isProbe);
  await page.getByRole('link', { name: 'Backend' }).waitFor();
  deepEqual(await page.getByRole('alert').allTextContents(), [], 'only the bar reports it');
  const { project_id, tenant_id } = key;
  await vendor.given.key({ project_id, tenant_id, name: 'Meanwhile', env: 'test' });

  // A screen whose code isn't loaded yet appears when the server is back.
  await page.getByRole('link', { name: 'Tenants' }).click();
  await page.waitForURL('**/test/tenants');
  await bar(page).waitFor();
  await server.start();
  await titled(page, 'Tenants').waitFor();
  await page.goBack();
  await page.getByRole('link', { name: 'Meanwhile' }).waitFor();
  equal(await page.evaluate('globalThis.mark'), 1, 'the page was never reloaded');
});

/** The server makes the change, but its response never arrives. */
const loseAnswer = (sent: string[]) => async (route: Route) => {
  const request = route.request();
  if (request.method() === 'GET') return route.fallback();
  sent.push(request.headers()['idempotency-key'] ?? request.method());
  await route.fetch();
  await route.abort('connectionreset');
};

test('if the response to a change is lost, the outcome is reported as unknown, and resubmitting the form does not repeat the change', async (t) => {
  const ground = await openGround(t);
  if (!ground) return;
  ground.expectsErrors(NO_CONNECTION);
  const { page, context, vendor, visit } = await ground.signIn();
  const project = await vendor.given.project({ name: 'Payments' });
  await vendor.given.tenant({ external_id: 'globex' });
  const problem = page.getByRole('alert').getByText('the change may or may not have gone through');
  const look = async () => {
    const opened = context.waitForEvent('page');
    await page.getByRole('button', { name: 'Check in a new tab' }).click();
    return opened;
  };

  const posts: string[] = [];
  await page.route('**/v1/keys', loseAnswer(posts));
  await visit(`/w/${vendor.slug}/test/keys/new`);
  await page.getByRole('combobox', { name: 'Project' }).fill('Pay');
  await page.getByRole('option', { name: 'Payments' }).click();
  await page.getByRole('combobox', { name: 'Tenant' }).fill('glob');
  await page.getByRole('option', { name: 'globex' }).click();
  await page.getByLabel('Name').fill('Lost');
  await page.getByRole('button', { name: 'Create test key' }).click();
  await problem.waitFor();
  equal(new Set(posts).size, 1, 'the client retries with a single idempotency key');
  const list = await look();
  await list.getByRole('link', { name: 'Lost' }).waitFor();
  equal(new URL(list.url()).pathname, `/w/${vendor.slug}/test/keys`);
  await list.close();
  equal(await page.getByLabel('Name').inputValue(), 'Lost');
  const query = { project_id: project.id, env: 'test' };
  const keys = async () => (await vendor.as.liveKey('GET /v1/keys', query)).data;
  equal((await keys()).length, 1);
  // The form is submitted again. The server has already created the key, and shows it only once.
  await page.unrouteAll();
  await page.getByRole('button', { name: 'Create test key' }).click();
  await page.getByText('The key was created, but the response containing it was lost.').waitFor();
  await titled(page, 'Lost').waitFor();
  equal((await keys()).length, 1, 'a manual retry does not create a second key');

  const patches: string[] = [];
  await page.route('**/v1/workspace', loseAnswer(patches));
  await visit(`/w/${vendor.slug}/settings`);
  await page.getByLabel('Workspace name').fill('Renamed');
  await page.getByRole('button', { name: 'Save name' }).click();
  await problem.waitFor();
  deepEqual(patches, ['PATCH'], 'a change without an idempotency key is never retried');
  const settings = await look();
  await settings.getByLabel('Workspace name').waitFor();
  equal(await settings.getByLabel('Workspace name').inputValue(), 'Renamed');

  // A 503 from an overloaded server doesn't bring up the offline bar. A gateway's 502 does.
  ground.expects(502, 503);
  const refusal = { code: 'unavailable', message: 'Too much work.', outcome: 'not_done' };
  const headers = { 'x-request-id': '0190', 'content-type': 'application/json' };
  await page.unrouteAll();
  await page.route('**/v1/tenants**', (route) =>
    route.fulfill({ status: 503, headers, body: JSON.stringify({ error: refusal }) }),
  );
  await visit(`/w/${vendor.slug}/test/tenants`);
  await page.getByRole('alert').getByText('Too much work.').waitFor();
  equal(await bar(page).count(), 0);
  await page.unrouteAll();
  await page.route('**/v1/tenants**', (route) => route.fulfill({ status: 502, body: 'gateway' }));
  await page.getByRole('button', { name: 'Try again' }).click();
  await bar(page).waitFor();
});

/** Holds requests to a URL until they are released. */
async function hold(page: Page, address: string | RegExp) {
  const urls: string[] = [];
  const gate = Promise.withResolvers<void>();
  await page.route(address, async (route) => {
    urls.push(`${route.request().method()} ${route.request().url()}`);
    await gate.promise;
    await route.continue().catch(() => {});
  });
  return { urls, release: gate.resolve };
}

const dist = join(import.meta.dirname, '../../dist');

/** A pattern that matches the URL of the chunk built from a source file. */
function chunkOf(source: string): string {
  const { outputs } = JSON.parse(readFileSync(join(dist, 'metafile.json'), 'utf8'));
  const built = Object.keys(outputs).find((file) => outputs[file].entryPoint === source);
  ok(built, source);
  return `**/assets/${basename(built)}`;
}

test('on a slow network, typed text is kept and no request is sent twice; if a chunk is missing, the page reloads once', async (t) => {
  const ground = await openGround(t);
  if (!ground) return;
  const { page, vendor, visit } = await ground.signIn();
  const place = `/w/${vendor.slug}/test`;
  await vendor.given.project({ name: 'Payments' });

  const library = await hold(page, chunkOf('src/ui/controls/combobox-popup.tsx'));
  await visit(`${place}/keys/new`);
  const project = page.getByLabel('Project', { exact: true });
  await project.pressSequentially('Pay');
  library.release();
  await page.getByRole('combobox', { name: 'Project' }).waitFor();
  equal(await project.inputValue(), 'Pay', 'text typed before the library loaded is kept');
  await page.keyboard.type('m');
  equal(await project.inputValue(), 'Paym', 'the input keeps the focus');
  await page.getByRole('option', { name: 'Payments' }).waitFor();
  await page.keyboard.press('Escape');

  const tenants = await hold(page, /\/v1\/tenants\?/);
  await page.getByRole('link', { name: 'Tenants' }).click();
  const bone = page.locator('main [aria-hidden=true][style]').first();
  await bone.waitFor({ state: 'attached' });
  equal(await bone.evaluate((one) => getComputedStyle(one).animationDelay), '0.15s');
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await page.waitForFunction(
    (one) => one && getComputedStyle(one).opacity === '1',
    await bone.elementHandle(),
  );
  await page.emulateMedia({ reducedMotion: null });
  await page.getByRole('link', { name: 'Nodes' }).click();
  await titled(page, 'Nodes').waitFor();
  tenants.release();
  await page.getByRole('link', { name: 'Tenants' }).click();
  await page.getByRole('heading', { name: 'No tenants yet' }).waitFor();

  await page.getByRole('button', { name: 'Create tenant' }).first().click();
  const dialog = page.getByRole('dialog');
  const created = await hold(page, /\/v1\/tenants$/);
  await dialog.getByLabel('External ID').fill('globex');
  await dialog.getByRole('button', { name: 'Create tenant' }).dblclick();
  await dialog.getByLabel('Name').press('Enter');
  await dialog.getByLabel('Name').pressSequentially('typed meanwhile');
  equal(await dialog.getByLabel('Name').inputValue(), 'typed meanwhile');
  created.release();
  await dialog.waitFor({ state: 'detached' });
  deepEqual(created.urls, [`POST ${ground.origin}/v1/tenants`]);

  ground.expects(404);
  ground.expectsErrors(/Failed to fetch dynamically imported module/);
  const documents: string[] = [];
  page.on('request', (one) => one.isNavigationRequest() && documents.push(one.url()));
  const chunk = chunkOf('src/screens/members/screen.tsx');
  await page.route(chunk, (route) => route.fulfill({ status: 404 }));
  const members = page.getByRole('link', { name: 'Members' });
  // Move the pointer away first. It may already be over the link, in which case hovering would do
  // nothing.
  await page.mouse.move(0, 0);
  await Promise.all([page.waitForResponse(chunk), members.hover()]);
  deepEqual(documents, [], 'hovering over a link reloads nothing');
  await members.click();
  await page.getByRole('heading', { name: 'Something went wrong' }).waitFor();
  const address = `${ground.origin}/w/${vendor.slug}/members`;
  deepEqual(documents, [address], 'the page was reloaded once');
  await page.unrouteAll();
  await page.getByRole('button', { name: 'Reload page' }).click();
  await titled(page, 'Members').waitFor();
  equal(page.url(), address);
});
