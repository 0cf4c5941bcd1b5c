// Users can change their name, password, theme and shortcuts, and sign out other sessions.
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { callersOf, logIn, PASSWORD } from '@keyrail/testing/people.ts';
import { openGround } from '../../../test/ground.ts';
import { programName } from './user-agent.ts';

test('a user can change their name, password, theme and shortcuts, and sign out other sessions', async (t) => {
  const ground = await openGround(t);
  if (!ground) return;
  const { page, vendor, visit } = await ground.signIn();
  ground.expects(400, 403);
  const { email } = await vendor.people.owner();
  const other = await logIn(callersOf(vendor), email);
  const third = await logIn(callersOf(vendor), email);
  await visit('/account');
  const saved = page.getByRole('status');

  await page.getByLabel('Name').fill('  Grace  ');
  await page.getByRole('button', { name: 'Save name' }).click();
  await saved.getByText('Name saved.').waitFor();
  equal((await other.call('GET /v1/auth/me')).user.name, 'Grace');

  const sessions = page.getByRole('list', { name: 'Sessions' }).getByRole('listitem');
  await sessions.nth(2).waitFor();
  equal(await sessions.count(), 3);
  await ground.axe(page);
  await sessions.getByRole('button').first().click();
  await saved.getByText('Session signed out.').waitFor();
  await page.getByRole('button', { name: 'Sign out everywhere else' }).click();
  await page.getByRole('dialog').getByText('This signs out 1 other session').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere else' }).click();
  await saved.getByText('Signed out everywhere else.').waitFor();
  // The list reloads after the success message appears.
  await sessions.nth(1).waitFor({ state: 'detached' });
  equal(await sessions.count(), 1);
  await sessions.getByText('This session').waitFor();
  for (const one of [other, third]) {
    const { status } = await vendor.ask(
      'GET /v1/auth/me',
      {},
      { authorization: `Bearer ${one.token}` },
    );
    equal(status, 401);
  }

  await page.getByLabel('Current password').fill('wrong');
  await page.getByLabel('New password').fill(`${PASSWORD} 2`);
  await page.getByRole('button', { name: 'Change password' }).click();
  await page.getByText('That isn’t your current password.').waitFor();
  await page.getByLabel('Current password').fill(PASSWORD);
  await page.getByLabel('New password').fill('short');
  await page.getByRole('button', { name: 'Change password' }).click();
  await page.locator('[name=password][aria-invalid=true]').waitFor();
  await page.getByLabel('New password').fill(`${PASSWORD} 2`);
  await page.getByRole('button', { name: 'Change password' }).click();
  await saved.getByText('Password changed.').waitFor();

  await page.getByRole('radio', { name: 'Dark' }).check();
  equal(await page.evaluate('document.documentElement.dataset.theme'), 'dark');
  await page.getByRole('switch', { name: 'Single-letter shortcuts' }).click();
  await page.getByRole('heading', { name: 'Account' }).click();
  await page.keyboard.press('?');
  equal(await page.getByRole('dialog').count(), 0, 'single-letter shortcuts are off');
  await page.reload();
  equal(await page.evaluate('document.documentElement.dataset.theme'), 'dark');
  await page.getByRole('switch', { name: 'Single-letter shortcuts' }).click();
  const shortcuts = page.getByRole('heading', { name: 'Keyboard shortcuts' });
  await page.getByRole('button', { name: 'Show keyboard shortcuts' }).click();
  await shortcuts.waitFor();
  await page.keyboard.press('Escape');
  await shortcuts.waitFor({ state: 'detached' });
  await page.keyboard.press('?');
  await shortcuts.waitFor();
});

test('a session shows the browser and operating system from its user agent', () => {
  const named = [
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0 Safari/537.36',
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15) AppleWebKit/605 (KHTML) Version/17.2 Safari/605',
    'Mozilla/5.0 (Windows NT 10.0; rv:121.0) Gecko/20100101 Firefox/121.0',
    'Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537 Chrome/130.0 Safari/537 Edg/130.0',
    'curl/8.5.0',
    null,
  ].map(programName);
  deepEqual(named, [
    'Chrome on Linux',
    'Safari on macOS',
    'Firefox on Windows',
    'Edge on Windows',
    'curl/8.5.0',
    'Unknown device',
  ]);
});
