// The element on different kinds of pages: hostile pages, pages with injected markup, pages with
// their own dialogs and shortcuts, pages with several elements, and pages in other languages.
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { axe } from '../test/axe.ts';
import { bundled } from '../test/bundled.ts';
import { openSite, type Site } from '../test/ground.ts';

test('replacing styles and globals on the page does not break the element', async (t) => {
  const site = await openSite(t);
  if (!site) return;
  const { page } = site;
  // Before the script loads, an old library adds methods to Array.prototype. After it loads, the
  // page overwrites every built-in it can.
  await page.addInitScript(() => {
    Reflect.set(Array.prototype, 'each', () => 'from an old library');
    Reflect.set(Array.prototype, 'toJSON', () => 'an array');
  });
  await site.open();
  await page.getByText('No keys yet').waitFor();
  await page.evaluate(() => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(`* { color: red !important; font: 40px fantasy !important; all: unset;
      display: inline !important; direction: rtl !important; visibility: visible !important }
      div, button, dialog, input { display: none !important }`);
    document.adoptedStyleSheets = [sheet];
  });
  const look = await page.getByText('No keys yet').evaluate((title: Element) => {
    const { color, fontSize, direction } = getComputedStyle(title);
    return { color, fontSize, direction };
  });
  equal(look.direction, 'ltr');
  ok(Number.parseFloat(look.fontSize) < 20, look.fontSize);
  ok(look.color !== 'rgb(255, 0, 0)', look.color);
  await page.evaluate(() => {
    const stop = () => {
      throw new Error('replaced by the page');
    };
    for (const name of ['fetch', 'setTimeout', 'URL', 'Headers', 'AbortController', 'Promise']) {
      Reflect.set(window, name, stop);
    }
    for (const name of ['Map', 'Set', 'CustomEvent', 'Intl', 'requestAnimationFrame']) {
      Reflect.set(window, name, stop);
    }
    Reflect.set(JSON, 'parse', stop);
    Reflect.set(JSON, 'stringify', stop);
  });
  await page.getByRole('button', { name: 'Create key' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Website');
  await dialog.getByLabel('invoices:write').check();
  await dialog.getByRole('button', { name: 'Create key' }).click();
  await page.getByText('You won’t see it again.').waitFor();
  const { data } = await site.vendor.as.liveKey('GET /v1/keys', { tenant_id: site.tenantId });
  deepEqual(data[0]?.scopes, ['invoices:write'], 'arrays are sent as arrays');
});

test('two elements in different languages work on a page with its own dialogs and shortcuts', async (t) => {
  const site = await openSite(t);
  if (!site) return;
  const { page } = site;
  site.serve(`<dialog id="own"><keyrail-keys token-url="/token"></keyrail-keys></dialog>
    <section lang="de"><keyrail-keys token-url="/token" theme="dark"></keyrail-keys></section>`);
  await site.open();
  await page.evaluate(() => {
    const own = document.querySelector('dialog');
    own?.showModal();
    const pressed: string[] = [];
    Reflect.set(window, 'pressed', pressed);
    addEventListener('keydown', ({ key }) => pressed.push(key));
    document.querySelector('keyrail-keys')?.addEventListener('keydown', (event) => {
      if (event instanceof KeyboardEvent && event.key === 'Escape') own?.close();
    });
  });
  const first = page.locator('#own');
  await first.getByRole('button', { name: 'Create key' }).click();
  const input = first.getByLabel('Name');
  await input.pressSequentially('gk?');
  await page.keyboard.press('Escape');
  await input.waitFor({ state: 'detached' });
  ok(await first.evaluate((own: Element) => own.matches('[open]')), 'the page keeps its dialog');
  deepEqual(await page.evaluate('pressed'), [], 'typed letters do not trigger page shortcuts');
  const back = await page.evaluate(
    () => document.activeElement?.shadowRoot?.activeElement?.textContent,
  );
  equal(back, 'Create key');
  await page.keyboard.press('Escape');

  // The second element is in German, like the section of the page it is in, and has its own theme.
  const german = page.locator('section keyrail-keys');
  await german.getByText('Noch keine Schlüssel').waitFor();
  await german.getByRole('button', { name: 'Schlüssel erstellen' }).click();
  await page.getByRole('dialog').getByText('Berechtigungen').waitFor();
  await axe(page);
  await page.keyboard.press('Escape');
  equal(site.asked(), 2, 'each has its own token');

  // The second element switches to right-to-left text in the vendor's own language. At 280 px, it
  // doesn't scroll sideways.
  await page.evaluate(() => {
    const [, element] = document.querySelectorAll<HTMLElement>('keyrail-keys');
    if (!element) return;
    Reflect.set(element, 'texts', { 'list.title': 'مفاتيح', dir: 'rtl' });
    element.setAttribute('lang', 'ar');
    element.style.width = '280px';
  });
  await german.getByText('مفاتيح').waitFor();
  const facts = await german.evaluate((element: Element) => {
    const base = element.shadowRoot?.querySelector<HTMLElement>('.base');
    const frame = element.shadowRoot?.querySelector<HTMLElement>('.frame');
    return { dir: base?.dir, over: (frame?.scrollWidth ?? 999) - (frame?.clientWidth ?? 0) };
  });
  deepEqual(facts, { dir: 'rtl', over: 0 });
});

/**
 * Starts another host, which any page may send requests to. It records the requests it receives.
 */
async function openStranger(t: TestContext): Promise<{ url: string; received: string[] }> {
  const received: string[] = [];
  const server = createServer(({ method, url, headers }, response) => {
    received.push(`${method} ${url} ${headers.authorization ?? ''}`);
    response.setHeader('access-control-allow-origin', headers.origin ?? '*');
    response.setHeader('access-control-allow-headers', '*, authorization');
    response.end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received };
}

const ELSEWHERE = 'token-url must be on the same origin as this page';

/** Opens a page with injected markup. The page's policy only allows scripts from the deployment. */
async function openInjected(site: Site, markup: string, hasScript: boolean): Promise<void> {
  site.serve(markup, { hasScript, policy: `script-src ${site.api}` });
  await site.open();
  if (hasScript) return;
  const code = `import { defineKeyrailKeys } from './index.ts';
    defineKeyrailKeys(${JSON.stringify(site.api)});`;
  await site.page.evaluate(await bundled(code, { format: 'iife' }));
}

for (const build of ['served', 'package']) {
  test(`injected markup cannot send a token to another host: the ${build} build`, async (t) => {
    const site = await openSite(t);
    if (!site) return;
    const { page } = site;
    const stranger = await openStranger(t);
    const said: string[] = [];
    site.expects(new RegExp(ELSEWHERE));
    page.on('console', (message) => said.push(message.text()));
    const open = (markup: string) => openInjected(site, markup, build === 'served');

    await open(`<keyrail-keys token-url="/token" url="${stranger.url}"></keyrail-keys>`);
    await page.getByText('No keys yet').waitFor();
    deepEqual([site.asked(), stranger.received], [1, []], 'the token went to the deployment');

    const { host } = new URL(stranger.url);
    const foreign = [
      `<keyrail-keys token-url="${stranger.url}/token"></keyrail-keys>`,
      `<keyrail-keys token-url="//${host}/token"></keyrail-keys>`,
      `<keyrail-keys token-url="\\\\${host}/token"></keyrail-keys>`,
      `<keyrail-keys token-url="data:application/json,{}"></keyrail-keys>`,
      `<base href="${stranger.url}"><keyrail-keys token-url="/token"></keyrail-keys>`,
    ];
    for (const [at, markup] of foreign.entries()) {
      await open(markup);
      await page.getByText(`Setup incomplete: ${ELSEWHERE}`).waitFor();
      equal(said.filter((text) => text.includes(ELSEWHERE)).length, at + 1, markup);
    }
    deepEqual([site.asked(), stranger.received], [1, []], 'no token was requested');
  });
}

test('a redirect on the site does not send the token request elsewhere', async (t) => {
  const site = await openSite(t);
  if (!site) return;
  const stranger = await openStranger(t);
  site.expects(/ERR_FAILED|redirect|Fetch API cannot load/);
  const headers = { location: `${stranger.url}/token` };
  await site.page.route('/elsewhere', (route) => route.fulfill({ status: 307, headers }));
  await openInjected(site, '<keyrail-keys token-url="/elsewhere"></keyrail-keys>', true);
  await site.page.getByText('Keys are unavailable right now').waitFor();
  deepEqual(stranger.received, []);
});

test('a script on the page can choose the deployment through the url property', async (t) => {
  const site = await openSite(t);
  if (!site) return;
  const { page } = site;
  site.expects(/status of 404|CORS policy|ERR_FAILED/);
  await openInjected(site, '<p id="place"></p>', true);
  const asked = page.waitForRequest(`${site.api}/second/v1/embed/session`);
  await page.evaluate((url) => {
    const element = document.createElement('keyrail-keys');
    Object.assign(element, { url });
    element.setAttribute('token-url', '/token');
    document.querySelector('#place')?.append(element);
  }, `${site.api}/second`);
  match((await (await asked).headerValue('authorization')) ?? '', /^Bearer ey/);
});
