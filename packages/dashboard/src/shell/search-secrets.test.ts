// What is pasted into a search box gets into no URL: not of the page, not of a request.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { openGround } from '../../test/ground.ts';

test('no search box puts a pasted credential into a URL', async (t) => {
  const ground = await openGround(t);
  if (!ground) return;
  const { page, vendor, visit } = await ground.signIn();
  const { key } = await vendor.given.key({ name: 'Backend' });
  const { token: session } = await vendor.people.owner();
  const foreign = 'pk_9f8e7d6c5b4a39281706';
  const pasted = {
    'an API key': key,
    'a header': `Bearer ${key}`,
    'a key in a sentence': `it says ${key} is wrong`,
    'a secret key': vendor.tokens.liveKey,
    'a session': session,
    'a signing secret': 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    'a header of another product': `Bearer ${foreign}`,
  };
  const secrets = [key, vendor.tokens.liveKey, session, pasted['a signing secret'], foreign].map(
    (secret) => secret.slice(-12),
  );
  const asked: string[] = [];
  page.on('request', (one) => asked.push(`${one.url()} ${one.headers().referer ?? ''}`));
  page.on('framenavigated', (frame) => asked.push(frame.url()));
  const leaks = () => asked.filter((line) => secrets.some((secret) => line.includes(secret)));
  const settled = () => page.evaluate('new Promise((done) => setTimeout(done, 500))');

  const at = (path: string) => `/w/${vendor.slug}/${path}`;
  for (const path of ['live/keys', 'live/tenants', 'live/projects']) {
    await visit(at(path));
    const box = page.getByRole('searchbox').first();
    await box.waitFor();
    for (const [what, text] of Object.entries(pasted)) {
      await box.fill(text);
      await settled();
      deepEqual(leaks(), [], `${path}: ${what}`);
    }
  }
  ok(
    asked.some((line) => line.includes('q=kr_live_')),
    'the display prefix is searched',
  );

  await visit(at('live/explain'));
  for (const [what, text] of Object.entries(pasted)) {
    await page.getByLabel('Or one of your keys').fill(text);
    await page.getByLabel('Scopes that the route requires').fill(`${text} `);
    await settled();
    deepEqual(leaks(), [], `explain: ${what}`);
  }
  await page.keyboard.press('Control+k');
  for (const [what, text] of Object.entries(pasted)) {
    await page.getByRole('dialog').getByRole('combobox').fill(text);
    await settled();
    deepEqual(leaks(), [], `palette: ${what}`);
  }
  await page.getByRole('dialog').getByRole('combobox').fill(pasted['a key in a sentence']);
  await page.getByRole('option', { name: 'Explain' }).first().click();
  await page.getByText('Allowed', { exact: true }).waitFor();
  deepEqual(leaks(), [], 'the palette hands the key over in memory');
  equal(page.url().includes(secrets[0] ?? ''), false);
});

test('the server rejects a search for a whole credential', async (t) => {
  const ground = await openGround(t);
  if (!ground) return;
  const { vendor } = await ground.signIn();
  const { key } = await vendor.given.key();
  for (const path of ['keys', 'tenants', 'projects']) {
    for (const q of [key, `Bearer ${key}`, `x ${vendor.tokens.liveKey}`, 'whsec_abcdefgh']) {
      const url: string = `${ground.origin}/v1/${path}?${new URLSearchParams({ q })}`;
      const headers = { authorization: `Bearer ${vendor.tokens.liveKey}` };
      const response: Response = await fetch(url, { headers });
      const body = await response.text();
      equal(response.status, 400, path);
      ok(body.includes('search for its display prefix'), body);
      ok(!body.includes(key.slice(-12)), 'the answer does not repeat it');
    }
  }
});
