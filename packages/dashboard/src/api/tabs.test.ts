// Sessions, users and workspaces across several tabs of one browser, and URLs that open a specific
// view.
import { equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { callersOf, logIn, PASSWORD } from '@keyrail/testing/people.ts';
import type { Page } from 'playwright-core';
import { type Ground, openGround, openVendor, type SignedIn } from '../../test/ground.ts';

const nameOf = (page: Page) => page.getByRole('textbox', { name: /^Name/ });
const titled = (page: Page, name: string) => page.getByRole('heading', { level: 1, name });
const ended = (page: Page) => page.getByRole('heading', { name: 'You’ve been signed out' });

async function tab({ context }: SignedIn, ground: Ground, path: string): Promise<Page> {
  const page = await context.newPage();
  await page.goto(`${ground.origin}${path}`);
  return page;
}

async function signInHere(page: Page, email: string): Promise<void> {
  await page.getByLabel('Email address').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.keyboard.press('Enter');
}

test("tabs share a session, sign out together, and never mix two users' data", async (t) => {
  const ground = await openGround(t);
  if (!ground) return;
  ground.expects(401);
  const owner = await ground.signIn();
  const { page, vendor, visit } = owner;
  const admin = await vendor.people.admin();
  const form = `/w/${vendor.slug}/test/keys/new`;

  await visit(form);
  await nameOf(page).fill('Half-typed');
  const second = await tab(owner, ground, `/w/${vendor.slug}/members`);
  await titled(second, 'Members').waitFor();

  // The session is signed out from outside the browser. The same user signs in again and continues.
  const { email, call } = await vendor.people.owner();
  await call('DELETE /v1/auth/sessions/current');
  await page.getByRole('combobox', { name: 'Project' }).fill('a');
  for (const each of [page, second]) await ended(each).waitFor();
  equal(await second.evaluate("sessionStorage.getItem('keyrail.session')"), null);
  await page.keyboard.press('Escape');
  await page.getByLabel('Password', { exact: true }).fill('wrong');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').waitFor();
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.keyboard.press('Enter');
  for (const each of [page, second]) await ended(each).waitFor({ state: 'detached' });
  equal(await nameOf(page).inputValue(), 'Half-typed');

  // Changing the password also ends this user's session in the other tab.
  const account = await tab(owner, ground, '/account');
  await account.getByLabel('Current password').fill(PASSWORD);
  const other = await logIn(callersOf(vendor), email);
  const facts = JSON.stringify({ token: other.token, userId: other.userId, email });
  await second.evaluate((text) => sessionStorage.setItem('keyrail.session', text), facts);
  await second.reload();
  await titled(second, 'Members').waitFor();
  await account.getByLabel('New password').fill(`${PASSWORD} 2`);
  await account.getByRole('button', { name: 'Change password' }).click();
  await ended(second).waitFor();
  equal(await ended(page).count(), 0);

  // A different user signs in. None of the first user's data is left on the page.
  await second.getByRole('button', { name: 'Use a different account' }).click();
  for (const each of [page, second, account]) await each.waitForURL('**/sign-in**');
  await signInHere(page, admin.email);
  for (const each of [page, second, account]) {
    await each.waitForURL((url) => url.pathname !== '/sign-in');
  }
  await page.waitForURL(`**${form}`);
  equal(await nameOf(page).inputValue(), '');
  await account.getByRole('button', { name: `Account menu for ${admin.email}` }).waitFor();
  for (const each of [page, account]) {
    ok(!(await each.content()).includes(email), 'the first user’s email address is gone');
  }

  // A secret on screen disappears when its user signs out.
  await page.goto(`${ground.origin}/w/${vendor.slug}/test/secret-keys`);
  await page.getByRole('button', { name: 'Create test secret key' }).first().click();
  await page.getByRole('dialog').getByLabel('Name').fill('Deploy');
  await page.getByRole('dialog').getByRole('button', { name: 'Create test secret key' }).click();
  await page.getByText('It won’t be shown again').waitFor();
  await account.getByRole('button', { name: /^Account/ }).click();
  await account.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.waitForURL('**/sign-in**');
  equal(await page.getByRole('dialog').count(), 0);
  ok(!/krsk_test_\w{20}/.test(await page.content()));
});

test('after sign-in, only URLs within this application are opened', async (t) => {
  const ground = await openGround(t);
  if (!ground) return;
  const { page, vendor, visit } = await ground.signIn();
  for (const next of [
    '//evil.example',
    'https://evil.example',
    '/\\evil.example',
    'javascript:alert(1)',
  ]) {
    await visit(`/sign-in?next=${encodeURIComponent(next)}`);
    await page.waitForURL(`${ground.origin}/w/${vendor.slug}/live/overview`);
  }
  const visitor = await ground.visitor();
  const { email } = await vendor.people.owner();
  const asked = `/w/${vendor.slug}/audit?action=api_key.*`;
  await visitor.visit(asked);
  await visitor.page.waitForURL('**/sign-in?next=**');
  await signInHere(visitor.page, email);
  await visitor.page.waitForURL(`**${asked}`);
  await titled(visitor.page, 'Audit log').waitFor();
});

test('a tab pauses when another tab switches workspaces, and can switch back or follow', async (t) => {
  const ground = await openGround(t);
  if (!ground) return;
  const owner = await ground.signIn();
  const { page, vendor, visit } = owner;
  const person = await vendor.people.owner();
  const project = await vendor.given.project({ name: 'Payments' });
  const globex = await openVendor(t);
  await globex.as.liveKey('PATCH /v1/workspace', { name: 'Globex' });
  const invited = { email: person.email, role: 'admin' };
  const { token } = await globex.as.owner('POST /v1/invites', invited);
  await person.call('POST /v1/auth/invites/accept', { token });

  // A dialog with the numbers from a dry run stays open in the paused tab.
  await page.clock.install();
  await visit(`/w/${vendor.slug}/live/projects/${project.slug}`);
  await page.getByRole('button', { name: 'Delete project' }).click();
  const impact = page.getByRole('dialog').getByText('Requests (24 h)');
  await impact.waitFor();
  const second = await tab(owner, ground, `/w/${globex.slug}/live/nodes`);
  await titled(second, 'Nodes').waitFor();
  const stopped = (each: Page, name: string) =>
    each.getByRole('heading', { name: `This browser has switched to ${name}` });
  await stopped(page, 'Globex').waitFor();
  // No 409 is expected here, because a paused tab sends no requests.
  await page.clock.fastForward(20_000);
  await page.evaluate("dispatchEvent(new Event('visibilitychange'))");
  await page.getByRole('button', { name: 'Switch back to Acme' }).click();
  await stopped(page, 'Globex').waitFor({ state: 'detached' });
  await stopped(second, 'Acme').waitFor();
  await second.getByRole('button', { name: 'Go to Acme' }).click();
  await second.waitForURL(`**/w/${vendor.slug}/live/overview`);
  await titled(second, 'Overview').waitFor();
  equal(await stopped(page, 'Globex').count(), 0);
  await impact.waitFor();

  // The session is switched to another workspace from outside the browser. The tab detects this
  // from the next response, a 409.
  ground.expects(409);
  const { token: shared }: { token: string } = await page.evaluate(
    "JSON.parse(sessionStorage.getItem('keyrail.session'))",
  );
  const body = { workspace_id: globex.workspaceId };
  await vendor.as.token(shared)('POST /v1/auth/sessions/current/workspace', body);
  await page.clock.fastForward(20_000);
  await stopped(page, 'Globex').waitFor();
  await page.getByRole('button', { name: 'Go to Globex' }).click();
  await page.waitForURL(`**/w/${globex.slug}/live/overview`);
});

test('a URL always opens the same view, and an unknown URL shows a not-found page', async (t) => {
  const ground = await openGround(t);
  if (!ground) return;
  ground.expects(400, 404);
  const { page, vendor, visit } = await ground.signIn();
  const first = await vendor.given.key({ name: 'Backend 0', env: 'test' });
  const { project_id, tenant_id } = first;
  for (let n = 1; n < 45; n += 1) {
    await vendor.given.key({ project_id, tenant_id, name: `Backend ${n}`, env: 'test' });
  }
  const place = `/w/${vendor.slug}/test`;
  const list = `${place}/keys?q=Back&state=active`;
  const here = () => page.url().slice(ground.origin.length);
  await visit(list);
  const row = page.getByRole('link', { name: 'Backend 3', exact: true });
  await row.scrollIntoViewIfNeeded();
  await page.mouse.wheel(0, 700);
  await page.waitForFunction('scrollY > 500');
  const scrolled: number = await page.evaluate('scrollY');
  await row.click();
  await titled(page, 'Backend 3').waitFor();
  await page.getByRole('link', { name: 'History', exact: true }).click();
  await page.waitForURL('**?tab=history');
  await page.goBack();
  await page.goBack();
  await page.waitForURL(`**${list}`);
  await page.waitForFunction((y) => Math.abs(scrollY - Number(y)) < 50, scrolled);
  equal(await page.getByRole('searchbox').inputValue(), 'Back');
  await page.goForward();
  await titled(page, 'Backend 3').waitFor();
  await page.goForward();
  await page.waitForURL('**?tab=history');
  await page.reload();
  await page.getByRole('list', { name: 'Key history, newest first' }).waitFor();

  await visit(`/w/${vendor.slug}/live/keys/${first.id}?tab=usage`);
  await page.waitForURL(`**${place}/keys/${first.id}?tab=usage`);
  for (const [path, says] of [
    [`${place}/keys/${project_id}`, 'Key not found'],
    [`${place}/keys/nonsense`, 'Key not found'],
    [`${place}/tenants/${project_id}`, 'Tenant not found'],
    [`${place}/tenants/nonsense`, 'Tenant not found'],
    [`${place}/projects/nonsense`, 'Project not found'],
    [`/w/${vendor.slug}/audit/999999`, 'Entry not found'],
    [`/w/${vendor.slug}/audit/nonsense`, 'Entry not found'],
    [`/w/${vendor.slug}/other/keys`, 'Page not found'],
    [`/w/${vendor.slug}/nothing/here`, 'Page not found'],
    ['/w/nobody/live/keys', 'Workspace not found'],
  ] as const) {
    await visit(path);
    await page
      .getByRole('heading', { name: says })
      .waitFor()
      .catch((error: Error) => {
        throw new Error(`${path} does not say ${says}`, { cause: error });
      });
    equal(here(), path);
    equal(await page.locator('h1').count(), 1, `${path} has one heading`);
  }

  // When a screen throws, the URL stays the same and the ID of the last request is shown.
  ground.expectsErrors(/TypeError/);
  await page.route(`**/v1/keys/${first.id}`, (route) => route.fulfill({ json: { env: 'test' } }));
  await visit(`${place}/keys/${first.id}`);
  await page.getByRole('heading', { level: 1, name: 'Something went wrong' }).waitFor();
  await page.getByText('Last request:').waitFor();
  await page.unrouteAll();
  await page.getByRole('button', { name: 'Reload page' }).click();
  await titled(page, 'Backend 0').waitFor();
  equal(here(), `${place}/keys/${first.id}`);
});
