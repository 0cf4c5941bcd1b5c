// Both visitors and signed-in users see the details of an invitation before accepting it.
import { equal } from 'node:assert/strict';
import { test } from 'node:test';
import { newAddress, PASSWORD, someone } from '@keyrail/testing/people.ts';
import { openGround, openVendor } from '../../../test/ground.ts';

test('a visitor can view an invitation, sign in and join the workspace', async (t) => {
  const ground = await openGround(t);
  if (!ground) return;
  ground.expects(400, 409);
  const vendor = await openVendor(t);
  const guest = await someone(vendor);
  const invited = { email: newAddress(), role: 'admin' };
  const { token } = await vendor.as.liveKey('POST /v1/invites', invited);
  const { page, visit } = await ground.visitor();

  await visit(`/accept-invite#token=${token}`);
  await page.getByRole('heading', { name: 'Join Acme' }).waitFor();
  equal(page.url(), `${ground.origin}/accept-invite`, 'the token is no longer in the URL');
  await page.getByText(invited.email).waitFor();
  await page.getByText('Admin').waitFor();
  await ground.axe(page);
  await page.getByRole('link', { name: 'Sign in to accept' }).click();
  await page.getByLabel('Email address').fill(guest.email);
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.keyboard.press('Enter');
  await page.getByText(`You’re accepting as ${guest.email}.`).waitFor();
  equal((await guest.call('GET /v1/auth/me')).memberships.length, 0, 'nothing has happened yet');
  await ground.axe(page);
  await page.getByRole('button', { name: 'Accept invitation' }).click();
  await page.waitForURL(`**/w/${vendor.slug}/**`);
  equal((await guest.call('GET /v1/auth/me')).memberships[0]?.role, 'admin');
  await visit(`/w/${vendor.slug}/audit`);
  await page.getByText(`accepted the invitation for ${invited.email}`).waitFor();
  await page.getByText('joined as admin').waitFor();

  await visit(`/accept-invite#token=${token}`);
  await page.getByRole('heading', { name: 'This invitation doesn’t work' }).waitFor();
  await page.getByText('It has already been accepted, was revoked, or has expired.').waitFor();
  await visit('/accept-invite');
  await page.getByText('Part of the link is missing.').waitFor();
});
