// After verifying an email address in a browser without a session, the user is told to sign in.
import { test } from 'node:test';
import { mailedToken, newAddress, PASSWORD } from '@keyrail/testing/people.ts';
import { openGround, openVendor } from '../../../test/ground.ts';

test('a user verifies an email address, signs in and sees their workspaces', async (t) => {
  const ground = await openGround(t);
  if (!ground) return;
  const { as, testApp } = await openVendor(t);
  const email = newAddress();
  await as.nobody('POST /v1/auth/users', { email, password: PASSWORD });
  const token = await mailedToken(testApp, email, 'verify_email');
  const { page, visit } = await ground.visitor();

  await visit(`/verify-email#token=${token}`);
  await page.getByRole('heading', { name: 'Email address verified' }).waitFor();
  await page.getByText('Sign in to create a workspace or accept an invitation.').waitFor();
  await ground.axe(page);
  await page.getByRole('link', { name: 'Sign in' }).click();
  await page.getByLabel('Email address').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Workspaces' }).waitFor();
});
