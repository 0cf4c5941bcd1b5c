// A new user's first visit: signing up, verifying an email address, resetting the password, signing
// in and creating a workspace.
import { equal, match, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { mailedToken, newAddress, PASSWORD } from '@keyrail/testing/people.ts';
import { testApp } from '@keyrail/testing/test-app.ts';
import { openGround, openVendor } from '../../../test/ground.ts';

test('a user can sign up, verify their email, reset their password, sign in and create a workspace', async (t) => {
  const ground = await openGround(t);
  if (!ground) return;
  const { page, visit } = await ground.visitor();
  const email = newAddress();
  ground.expects(400, 401);

  await visit('/');
  await page.waitForURL('**/sign-in');
  await page.getByRole('heading', { level: 1 }).waitFor();
  await ground.axe(page);
  await page.getByRole('link', { name: 'Sign up' }).click();
  await page.getByLabel('Name').fill('Ada');
  await page.getByLabel('Email address').fill(email);
  await page.getByLabel('Password', { exact: true }).fill('short');
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.getByText('12', { exact: false }).first().waitFor();
  await ground.axe(page);
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.getByRole('heading', { level: 1, name: 'Workspaces' }).waitFor();
  await page.getByText('isn’t verified yet').waitFor();
  await page.getByText('This server saves emails as files').waitFor();
  await ground.axe(page);

  const verification = await mailedToken(await testApp(), email, 'verify_email');
  await visit(`/verify-email#token=${verification}`);
  await page.getByRole('heading', { name: 'Email address verified' }).waitFor();
  equal(page.url(), `${ground.origin}/verify-email`, 'the token is no longer in the URL');
  await page.getByRole('link', { name: 'Go to your workspaces' }).click();
  await page.getByRole('heading', { level: 1, name: 'Workspaces' }).waitFor();
  await visit(`/verify-email#token=${verification}`);
  await page.getByRole('heading', { name: 'This link doesn’t work' }).waitFor();

  await visit('/forgot-password');
  await page.getByLabel('Email address').fill(email);
  await page.getByRole('button', { name: 'Send reset link' }).click();
  await page.getByRole('heading', { name: 'Check your email' }).waitFor();
  await ground.axe(page);
  const reset = await mailedToken(await testApp(), email, 'password_reset');
  await visit(`/reset-password#token=${reset}`);
  await page.getByLabel('New password').fill(`${PASSWORD} again`);
  await ground.axe(page);
  await page.getByRole('button', { name: 'Set password' }).click();
  await page.getByText('You’ve been signed out everywhere').waitFor();
  await page.getByRole('link', { name: 'Sign in' }).click();

  await page.getByLabel('Email address').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.keyboard.press('Enter');
  await page.getByText('Incorrect email address or password.').waitFor();
  await page.getByLabel('Password', { exact: true }).fill(`${PASSWORD} again`);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'No workspaces yet' }).waitFor();
  await ground.axe(page);

  await page.getByRole('link', { name: 'Create workspace' }).click();
  await page.getByLabel('Name').fill('Müller & Söhne');
  equal(await page.getByLabel('Workspace URL').inputValue(), 'muller-sohne');
  await page.getByLabel('Workspace URL').fill(`muller-${process.pid}`);
  await page.getByRole('button', { name: 'Create workspace' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('It won’t be shown again').waitFor();
  const secret = (await dialog.locator('code').first().textContent()) ?? '';
  match(secret, /^krsk_test_/);
  equal(await page.evaluate('document.activeElement?.textContent'), 'Copy secret key');
  await ground.axe(page);
  await page.keyboard.press('Escape');
  await page.getByRole('heading', { name: 'Leave without copying?' }).waitFor();
  await page.getByRole('button', { name: 'Leave without copying' }).click();
  await page.waitForURL(/\/w\/muller-\d+\/start$/);
  await page.getByRole('button', { name: 'Create test key' }).waitFor();
  const kept: string = await page.evaluate(
    'document.documentElement.outerHTML + JSON.stringify([{ ...sessionStorage }, { ...localStorage }])',
  );
  ok(!kept.includes(secret), 'the secret is gone');
});

test('when a session ends, the same user can sign in and continue where they left off', async (t) => {
  const ground = await openGround(t);
  if (!ground) return;
  const { page, context, vendor, visit } = await ground.signIn();
  ground.expects(401);
  await visit('/workspaces/new');
  await page.getByLabel('Name').fill('Half-typed');
  const other = await context.newPage();
  await other.goto(`${ground.origin}/workspaces`);
  await other.getByRole('link', { name: /Acme/ }).waitFor();

  const owner = await vendor.people.owner();
  await owner.call('DELETE /v1/auth/sessions/current');
  await page.getByRole('button', { name: 'Create workspace' }).click();
  for (const each of [page, other]) {
    await each.getByRole('heading', { name: 'You’ve been signed out' }).waitFor();
  }
  await ground.axe(page);
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.keyboard.press('Enter');
  for (const each of [page, other]) await each.getByRole('dialog').waitFor({ state: 'detached' });
  equal(await page.getByLabel('Name').inputValue(), 'Half-typed');

  await page.getByRole('button', { name: /^Account/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.waitForURL('**/sign-in**');
  await other.waitForURL('**/sign-in**');
  equal(await other.evaluate("sessionStorage.getItem('keyrail.session')"), null);
});

test('if the user signs out while the server is down, the sign-in page says so and offers to try again', async (t) => {
  const ground = await openGround(t);
  if (!ground) return;
  const { page } = await ground.visitor();
  ground.expectsErrors(/ERR_FAILED|ERR_CONNECTION/);
  const { email } = await (await openVendor(t)).people.owner();
  await page.goto(`${ground.origin}/sign-in`);
  await page.getByLabel('Email address').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: /^Account/ }).waitFor();
  const kept: string = await page.evaluate("sessionStorage.getItem('keyrail.session')");
  const { token } = JSON.parse(kept);
  const statusOf = async () => {
    const headers = { authorization: `Bearer ${token}` };
    return (await fetch(`${ground.origin}/v1/auth/me`, { headers })).status;
  };

  const line = '**/v1/auth/sessions/current';
  await page.route(line, (route) => route.abort());
  await page.getByRole('button', { name: /^Account/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  const notice = page.getByText(
    /the server couldn’t be reached, so the session stays valid until .*\d/,
  );
  await notice.waitFor();
  equal(await statusOf(), 200);
  const stored = 'JSON.stringify([{ ...sessionStorage }, { ...localStorage }, location.href])';
  const left: string = await page.evaluate(stored);
  equal(left.includes(token), false, 'the page keeps it in memory only');
  await ground.axe(page);
  await page.locator('form').getByRole('button', { name: 'Try again' }).click();
  await notice.waitFor();
  equal(await statusOf(), 200);
  await page.unroute(line);
  await page.locator('form').getByRole('button', { name: 'Try again' }).click();
  await page.getByText('Session signed out.').waitFor();
  await notice.waitFor({ state: 'detached' });
  equal(await statusOf(), 401);
});
