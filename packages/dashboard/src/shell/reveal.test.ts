// Secrets are shown once and leave no trace in the page. Also tests pages over plain HTTP and the
// content security policy.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { openGround, PLAIN_HOST } from '../../test/ground.ts';

const dialog = (page: Page) => page.getByRole('dialog').first();
const asks = (page: Page) => page.getByRole('heading', { name: 'Leave without copying?' });

const secretIn = async (page: Page): Promise<string> => {
  await dialog(page).getByText('It won’t be shown again').waitFor();
  return (await dialog(page).locator('code').first().textContent()) ?? '';
};

/**
 * The middle of a secret, without the prefix shown in lists, and long enough not to occur anywhere
 * else.
 */
const middleOf = (secret: string): string => {
  ok(secret.length > 40, 'a secret is shown');
  return secret.slice(20, 40);
};

const KEPT = `(async () => JSON.stringify([
  location.href, history.state, { ...localStorage }, { ...sessionStorage },
  document.documentElement.outerHTML,
  [...document.querySelectorAll('input, textarea')].map(({ value }) => value),
  await indexedDB?.databases?.(), globalThis.caches ? await caches.keys() : [],
]))()`;

/** Returns a snapshot of the page's heap, taken after garbage collection. */
async function heapOf(page: Page): Promise<string> {
  const session = await page.context().newCDPSession(page);
  const chunks: string[] = [];
  session.on('HeapProfiler.addHeapSnapshotChunk', ({ chunk }) => chunks.push(chunk));
  await session.send('HeapProfiler.enable');
  await session.send('HeapProfiler.collectGarbage');
  await session.send('HeapProfiler.takeHeapSnapshot', { reportProgress: false });
  await session.detach();
  return chunks.join('');
}

const LOOKS_MAX = 5;

/**
 * Takes heap snapshots until one contains none of the texts, because a busy browser doesn't free
 * memory immediately.
 */
async function heapWithout(page: Page, texts: readonly string[]): Promise<string> {
  let heap = '';
  for (let look = 0; look < LOOKS_MAX; look += 1) {
    heap = await heapOf(page);
    if (!texts.some((text) => heap.includes(text))) break;
    await page.evaluate('new Promise((done) => requestIdleCallback(done, { timeout: 1000 }))');
  }
  return heap;
}

test('leaving without copying a secret requires confirmation, and the secret is not kept in memory', async (t) => {
  const ground = await openGround(t);
  if (!ground) return;
  const { page, vendor, visit } = await ground.signIn();
  const asked: string[] = [];
  page.on('request', (one) => asked.push(`${one.url()} ${one.headers().referer ?? ''}`));
  await vendor.given.project({ name: 'Payments' });
  await vendor.given.tenant({ external_id: 'globex' });

  await visit(`/w/${vendor.slug}/test/keys`);
  await page.getByRole('link', { name: 'Create key' }).click();
  await page.getByRole('combobox', { name: 'Project' }).fill('Pay');
  await page.getByRole('option', { name: 'Payments' }).click();
  await page.getByRole('combobox', { name: 'Tenant' }).fill('glob');
  await page.getByRole('option', { name: 'globex' }).click();
  await page.getByRole('button', { name: 'Create test key' }).click();
  const made = middleOf(await secretIn(page));
  const address = page.url();
  const unloads: string[] = [];
  page.on('dialog', (one) => {
    unloads.push(one.type());
    void one.dismiss();
  });
  for (const leave of [
    () => page.keyboard.press('Escape'),
    () => page.evaluate('history.back()'),
    () => page.getByRole('button', { name: 'I’ve stored it' }).click(),
  ]) {
    await leave();
    await asks(page).waitFor();
    equal(await asks(page).count(), 1);
    await page.getByRole('button', { name: 'Back to the key' }).click();
    await asks(page).waitFor({ state: 'detached' });
    equal(page.url(), address);
  }
  await page.reload({ timeout: 2000 }).catch(() => null);
  deepEqual(unloads, ['beforeunload']);
  await page.context().grantPermissions(['clipboard-write', 'clipboard-read']);
  await page.getByRole('button', { name: 'Copy key' }).click();
  await page.getByRole('button', { name: 'Copied' }).waitFor();
  await page.evaluate("navigator.clipboard.writeText('')");
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Rotate' }).click();
  await dialog(page).getByRole('button', { name: 'Rotate test key' }).click();
  const rotated = middleOf(await secretIn(page));
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Leave without copying' }).click();
  await page.getByText('this key', { exact: true }).waitFor();

  // The full key only occurs in the body of one request and in the input field of the Explain
  // screen.
  await page.getByRole('link', { name: 'Explain', exact: true }).first().click();
  const pasted = await vendor.given.key({ env: 'test' });
  await page.getByLabel('Key', { exact: true }).fill(pasted.key);
  await page.getByRole('button', { name: 'Explain key', exact: true }).click();
  await page.getByText('Allowed', { exact: true }).waitFor();
  const inPage: string = await page.evaluate(KEPT.replace(/^.*querySelectorAll.*$/m, ''));
  ok(!inPage.includes(middleOf(pasted.key)), 'a pasted key is only in its input');
  await page.getByRole('link', { name: 'Nodes', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Nodes' }).waitFor();

  const kept: string = await page.evaluate(KEPT);
  const secrets = { made, rotated, pasted: middleOf(pasted.key) };
  const heap = await heapWithout(page, Object.values(secrets));
  ok(heap.includes(vendor.slug), 'the heap was read');
  for (const [what, middle] of Object.entries(secrets)) {
    ok(!kept.includes(middle), `${what}: kept by the page`);
    ok(!asked.some((line) => line.includes(middle)), `${what}: in a URL`);
    ok(!heap.includes(middle), `${what}: in memory ${around(heap, middle)}`);
  }

  ground.expects(400);
  const token = 'one-time-token-0123456789-abcdefghij';
  await visit(`/verify-email#token=${token}`);
  await page.getByRole('heading', { name: 'This link doesn’t work' }).waitFor();
  equal(page.url(), `${ground.origin}/verify-email`);
  ok(!asked.some((line) => line.includes(token)));
  await page.goBack();
  await page.goForward();
  equal(page.url(), `${ground.origin}/verify-email`, 'it is not in the browser history either');
});

const around = (text: string, part: string): string => {
  const at = text.indexOf(part);
  return text.slice(Math.max(0, at - 200), at + 100);
};

test('over plain HTTP, secrets can still be created and copied, and the audit log can be verified', async (t) => {
  const ground = await openGround(t);
  if (!ground) return;
  const origin = `http://${PLAIN_HOST}:${new URL(ground.origin).port}`;
  const { page, vendor, visit } = await ground.signIn({ origin });
  await vendor.given.tenant({ external_id: 'globex' });
  await visit(`/w/${vendor.slug}/test/secret-keys`);
  equal(
    await page.evaluate('[isSecureContext, typeof navigator.clipboard].join()'),
    'false,undefined',
  );
  await page.getByRole('button', { name: 'Create test secret key' }).first().click();
  await dialog(page).getByLabel('Name').fill('Deploy');
  await dialog(page).getByRole('button', { name: 'Create test secret key' }).click();
  const secret = await secretIn(page);
  await page.evaluate('document.execCommand = () => false');
  await page.getByRole('button', { name: 'Copy secret key' }).click();
  await page.getByRole('status').getByText('Your browser blocked copying').waitFor();
  await page.keyboard.press('Escape');
  await asks(page).waitFor();
  await page.getByRole('button', { name: 'Back to the key' }).click();
  await page.evaluate('delete document.execCommand');
  await page
    .getByRole('button', { name: /^Copy secret key|^Your browser blocked copying/ })
    .click();
  await page.getByRole('button', { name: 'Copied' }).waitFor();
  await page.keyboard.press('Escape');
  await dialog(page).waitFor({ state: 'detached' });

  await page.getByRole('link', { name: 'Explain', exact: true }).click();
  await page.getByLabel('Key', { exact: true }).focus();
  await page.keyboard.press('Control+v');
  equal(await page.getByLabel('Key', { exact: true }).inputValue(), secret, 'it was copied');

  await visit(`/w/${vendor.slug}/audit`);
  await page.getByRole('button', { name: 'Verify log' }).click();
  await page.getByText('Hashed in JavaScript').waitFor();
  await page.getByText('The server agrees').waitFor();
  await visit('/system');
  await page.getByText('This page isn’t encrypted').waitFor();
  await page.getByText('TLS').first().waitFor();
});

test('the build is served with its content security policy, which the browser enforces', async (t) => {
  const ground = await openGround(t);
  if (!ground) return;
  const { page, visit } = await ground.visitor();
  const index = await fetch(`${ground.origin}/sign-in`);
  equal(index.headers.get('cache-control'), 'no-store');
  const policy = index.headers.get('content-security-policy');
  equal(
    policy,
    "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self'; " +
      "connect-src 'self'; worker-src 'self'; manifest-src 'self'; base-uri 'none'; " +
      "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; " +
      'trusted-types keyrail',
  );
  const html = await index.text();
  const assets = [...html.matchAll(/"(\/assets\/[^"]+)"/g)].map(([, path]) => path);
  ok(assets.length > 4);
  for (const path of assets) {
    const { status, headers }: Response = await fetch(`${ground.origin}${path}`);
    deepEqual(
      [status, headers.get('cache-control')],
      [200, 'public, max-age=31536000, immutable'],
      path,
    );
  }
  for (const path of ['/assets/main-ABCD1234.js', '/healthz', '/v1/deployment', '/docs/nothing']) {
    const { status, headers }: Response = await fetch(`${ground.origin}${path}`);
    equal(headers.get('cache-control'), 'no-store', path);
    if (path.startsWith('/assets')) equal(status, 404);
  }

  await visit('/sign-in');
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  ground.expectsErrors(/^policy: /, /Trusted/, /Content Security Policy/);
  const tries: Record<string, string> = await page.evaluate(`(() => {
    const said = (act) => { try { act(); return 'ran'; } catch (error) { return error.name; } };
    const script = () => { const one = document.createElement('script'); one.textContent = 'globalThis.ran = 1'; document.body.append(one); };
    return {
      html: said(() => { document.body.insertAdjacentHTML('beforeend', '<b>x</b>'); }),
      script: said(script),
      policy: said(() => trustedTypes.createPolicy('other', { createHTML: (text) => text })),
      worker: said(() => new Worker('/assets/any.js')),
    };
  })()`);
  deepEqual(tries, {
    html: 'TypeError',
    script: 'TypeError',
    policy: 'TypeError',
    worker: 'TypeError',
  });
  const frame = await ground.visitor();
  ground.expectsErrors(/frame-ancestors|Refused to frame|Framing/i);
  await frame.page.setContent(`<iframe src="${ground.origin}/sign-in"></iframe>`);
  const inner = frame.page.frames()[1];
  await inner?.waitForLoadState();
  ok(!(await inner?.content())?.includes('root'), 'no page can frame it');
});
