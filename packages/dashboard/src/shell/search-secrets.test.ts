// A credential pasted into a search field never becomes part of the page's URL or a request's URL.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { openGround } from '../../test/ground.ts';

const foreign = 'pk_9f8e7d6c5b4a39281706';

test('no search field puts a pasted credential into a URL', async (t) => {
  const ground = await openGround(t);
  if (!ground) return;
  const { page, vendor, visit } = await ground.signIn();
  const { key } = await vendor.given.key({ name: 'Backend' });
  const { token: session } = await vendor.people.owner();
  const pasted = {
    'an API key': key,
    'a header': `Bearer ${key}`,
    'a key in a sentence': `it says ${key} is wrong`,
    'a secret key': vendor.tokens.liveKey,
    'a session': session,
    'a signing secret': 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    'a header of another product': `Bearer ${foreign}`,
    'a header in quotes': `curl -H "Bearer ${foreign}"`,
  };
  const secrets = [key, vendor.tokens.liveKey, session, pasted['a signing secret'], foreign].map(
    (secret) => secret.slice(-12),
  );
  const asked: string[] = [];
  page.on('request', (one) => asked.push(`${one.url()} ${one.headers().referer ?? ''}`));
  page.on('framenavigated', (frame) => asked.push(frame.url()));
  const leaked = new Set<string>();
  /**
   * Records the name of the search field if a URL has contained a credential since the last call.
   */
  const look = async (box: string) => {
    await page.evaluate('new Promise((done) => setTimeout(done, 500))');
    const urls = [...asked.splice(0), page.url()];
    if (secrets.some((secret) => urls.some((url) => url.includes(secret)))) leaked.add(box);
    return urls;
  };

  const at = (path: string) => `/w/${vendor.slug}/${path}`;
  for (const path of ['live/keys', 'live/tenants', 'live/projects']) {
    await visit(at(path));
    const box = page.getByRole('searchbox');
    for (const text of Object.values(pasted)) {
      await box.fill(text);
      const urls = await look(path);
      const searched = urls.some((url) => url.includes('/v1/') && url.includes('q=kr_live_'));
      if (text === key) ok(searched, `${path}: the display prefix is searched`);
    }
  }

  await visit(at('live/explain'));
  const keyBox = page.getByLabel('Or choose an existing key');
  const scopes = page.getByLabel('Scopes the route requires');
  for (const text of Object.values(pasted)) {
    await keyBox.fill(text);
    await look('explain, key');
    await scopes.fill(text);
    await scopes.press('Enter');
    await look('explain, scopes');
  }
  await page.keyboard.press('Control+k');
  const palette = page.getByRole('dialog').getByRole('combobox');
  for (const text of Object.values(pasted)) {
    await palette.fill(text);
    await look('palette');
  }
  deepEqual([...leaked], []);

  await palette.fill(pasted['a key in a sentence']);
  await page.getByRole('option', { name: 'Explain this key' }).click();
  await page.getByText('Allowed', { exact: true }).waitFor();
  await look('palette, handing the key over');
  deepEqual([...leaked], []);
});

test('the URL to return to after signing in contains no pasted credential', async (t) => {
  const ground = await openGround(t);
  if (!ground) return;
  const { vendor } = await ground.signIn();
  const { key } = await vendor.given.key();
  const { page, visit } = await ground.visitor();
  const path = `/w/${vendor.slug}/live/keys`;
  for (const q of [key, `"Bearer ${foreign}"`]) {
    await visit(`${path}?${new URLSearchParams({ state: 'active', q })}`);
    await page.waitForURL('**/sign-in?next=**');
    const next = new URL(page.url()).searchParams.get('next') ?? '';
    ok(next.startsWith(`${path}?state=active&q=`), next);
    ok(!decodeURIComponent(page.url()).includes(q.slice(-13, -1)), page.url());
  }
});

test('the server rejects a search for a full credential', async (t) => {
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
      ok(!body.includes(key.slice(-12)), 'the response does not repeat it');
    }
  }
});
