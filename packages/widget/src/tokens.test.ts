// Tokens in a real browser. They are renewed before they expire, and when the page becomes visible
// again. Only one renewal runs at a time, failures never cause a loop, and typed text is never
// lost.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { openSite, type Site } from '../test/ground.ts';

const TOKEN_MS = 300_000;

const refusals = /status of 40[13]/;
const lost = /net::ERR_|CORS policy/;

/** Opens the dialog, types a name, and returns a check that the name is still there. */
async function type({ page }: Site): Promise<() => Promise<void>> {
  await page.getByRole('button', { name: 'Create key' }).click();
  const input = page.getByRole('dialog').getByLabel('Name');
  await input.pressSequentially('Web');
  return async () => {
    equal(await input.inputValue(), 'Web');
    const isFocused = await input.evaluate((one: Element) => one.matches(':focus'));
    ok(isFocused, 'the input has the focus');
  };
}

test('if the token is renewed or revoked while the user types, nothing is lost and nothing is sent twice', async (t) => {
  const site = await openSite(t);
  if (!site) return;
  const { page, vendor } = site;
  await page.clock.install();
  await site.open();
  await page.getByText('No keys yet').waitFor();
  const isStillThere = await type(site);

  // The token is renewed at refresh_after, while the user is typing.
  const renewal = () =>
    page.waitForResponse((response) => response.url().endsWith('/v1/embed/session'));
  const early = renewal();
  vendor.clock.shift(241_000);
  await page.clock.fastForward(241_000);
  await early;
  equal(site.asked(), 2);
  await isStillThere();

  // If the token becomes due while the page is hidden, it is renewed once, when the page is shown
  // again.
  const show = (isHidden: boolean) =>
    page.evaluate((hidden) => {
      Object.defineProperty(document, 'hidden', { configurable: true, get: () => hidden });
      document.dispatchEvent(new Event('visibilitychange'));
    }, isHidden);
  await show(true);
  vendor.clock.shift(TOKEN_MS);
  await page.clock.fastForward(TOKEN_MS);
  equal(site.asked(), 2);
  const late = renewal();
  await show(false);
  await late;
  equal(site.asked(), 3);
  await isStillThere();

  // The token is revoked. The rejected call has changed nothing, so it is retried and creates a
  // single key.
  site.expects(refusals);
  await vendor.as.liveKey('POST /v1/tenants/{id}/embed_tokens/revoke', { id: site.tenantId });
  await page.getByRole('dialog').getByLabel('invoices:read').check();
  await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
  await page.getByText('You won’t see it again.').waitFor();
  equal(site.asked(), 4);
  const { data } = await vendor.as.liveKey('GET /v1/keys', { tenant_id: site.tenantId });
  deepEqual(
    data.map(({ name }) => name),
    ['Web'],
  );
  deepEqual(
    (await site.events()).map(([name]) => name),
    ['ready', 'created'],
  );
});

test('after three failures, the element sends nothing until the user retries or the network is back', async (t) => {
  const site = await openSite(t);
  if (!site) return;
  const { page, context } = site;
  site.expects(refusals, lost, /status of 50/);
  site.answer(async () => ({ status: 500, body: {} }));
  await site.open();
  const retry = page.getByRole('button', { name: 'Try again' });
  await page.getByText('Keys are unavailable right now').waitFor();
  equal(site.asked(), 3);
  const named = async () => (await site.events()).map(([name]) => name);
  deepEqual(await named(), ['error', 'token-expired']);
  await page.evaluate(() => document.dispatchEvent(new Event('focusin')));
  equal(site.asked(), 3, 'no more tokens are requested');
  site.answer(null);
  await retry.click();
  await page.getByText('No keys yet').waitFor();
  equal(site.asked(), 4);
  const isStillThere = await type(site);

  // While the browser is offline, nothing is sent and the form stays open. Once it is online again,
  // the form can be submitted.
  await context.setOffline(true);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Space');
  await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
  await page.getByText('You’re offline. Nothing was sent.').waitFor();
  await page.getByRole('dialog').getByLabel('Name').focus();
  await isStillThere();
  await context.setOffline(false);
  await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
  await page.getByText('You won’t see it again.').waitFor();
});

test('the element explains why a token or origin was rejected, and a token for another tenant loads that tenant’s list', async (t) => {
  const site = await openSite(t);
  if (!site) return;
  const { page, vendor } = site;
  site.expects(refusals, lost);
  // The backend keeps returning a token that has been revoked.
  const old = await site.mint();
  await vendor.as.liveKey('POST /v1/tenants/{id}/embed_tokens/revoke', { id: site.tenantId });
  site.answer(async () => old);
  await site.open();
  await page.getByText('You no longer have access to these keys.').waitFor();
  equal(site.asked(), 2, 'requested again once, not in a loop');
  const details = (await site.events()).map(([name, { code, reason }]) => [name, code ?? reason]);
  deepEqual(details, [
    ['error', 'invalid_token'],
    ['token-expired', 'refused'],
  ]);

  // The next token is for a different tenant, so that tenant's list is loaded.
  const other = await vendor.given.tenant();
  await vendor.given.key({ project_id: site.projectId, tenant_id: other.id, name: 'Theirs' });
  site.answer(null);
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('No keys yet').waitFor();
  site.answer(() => site.mint({ tenant_id: other.id }));
  await vendor.as.liveKey('POST /v1/tenants/{id}/embed_tokens/revoke', { id: site.tenantId });
  await page.evaluate(() => {
    const element = document.querySelector('keyrail-keys');
    return Reflect.get(element ?? {}, 'refresh').call(element);
  });
  await page.getByText('Theirs').waitFor();

  await vendor.as.liveKey('PATCH /v1/workspace', { embed_origins: ['https://other.example'] });
  site.answer(() => site.mint({ origins: ['https://other.example'] }));
  await site.open();
  await page.getByText('Key management isn’t enabled for this page.').waitFor();
  equal((await site.events()).at(-1)?.[1].code, 'origin_not_allowed');
});
