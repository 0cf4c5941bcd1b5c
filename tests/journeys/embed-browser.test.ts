// A real browser uses the embed API. A page on a registered origin manages keys; a page on another
// origin is blocked, both by the browser and by the server.
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { findChromium } from '@keyrail/testing/stores/chromium.ts';
import { type Browser, chromium, type Page } from 'playwright-core';
import { BOOTSTRAP_TOKEN, deploy, type Running } from './deployment.ts';

/** Serves an empty page on its own origin. */
async function openSite(t: TestContext): Promise<string> {
  const site = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html').end('<!doctype html><title>page</title>');
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  t.after(() => site.close());
  return `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
}

type Sent = { method?: string; token: string; body?: string };
type Seen = { status: number; body: object } | { blocked: string };

/** The response as seen by a script on the page. */
const fetched = (page: Page, url: string, { method = 'GET', token, body }: Sent): Promise<Seen> =>
  page.evaluate(
    async (asked) => {
      try {
        const answer = await fetch(asked.url, {
          method: asked.method,
          headers: {
            authorization: `Bearer ${asked.token}`,
            ...(asked.body && { 'content-type': 'application/json' }),
          },
          ...(asked.body && { body: asked.body }),
        });
        return { status: answer.status, body: Object(await answer.json()) };
      } catch (error) {
        return { blocked: String(error) };
      }
    },
    { url, method, token, ...(body !== undefined && { body }) },
  );

const isBlocked = (seen: Seen): boolean => 'blocked' in seen && /TypeError/.test(seen.blocked);

async function opened(browser: Browser, url: string): Promise<Page> {
  const page = await browser.newPage();
  await page.goto(url);
  return page;
}

async function subjectOf({ as }: Running, origin: string) {
  const founded = await as(BOOTSTRAP_TOKEN)('POST /v1/workspaces', { name: 'Acme', slug: 'acme' });
  const vendor = as(founded.secret_key.key);
  await vendor('PATCH /v1/workspace', { embed_origins: [origin] });
  const project = await vendor('POST /v1/projects', { name: 'Orders', slug: 'orders' });
  const tenant = await vendor('POST /v1/tenants', { external_id: 'customer' });
  const { token } = await vendor('POST /v1/embed_tokens', {
    project_id: project.id,
    tenant_id: tenant.id,
    env: 'live',
    scopes: ['keys:read', 'keys:write', 'key_scope:a'],
  });
  return { secretKey: founded.secret_key.key, vendor, projectId: project.id, tenant, token };
}

test('a page on a registered origin can manage keys from a browser, and a page on another is blocked', async (t) => {
  const found = findChromium();
  if ('missing' in found) return t.skip(found.missing);
  const server = await (await deploy(t)).run();
  const ours = await openSite(t);
  const foreign = await openSite(t);
  const { secretKey, vendor, projectId, tenant, token } = await subjectOf(server, ours);
  const browser = await chromium.launch({ executablePath: found.path, args: ['--no-sandbox'] });
  t.after(() => browser.close());
  const page = await opened(browser, ours);
  const evil = await opened(browser, foreign);
  const at = (path: string) => `${server.url}${path}`;

  const session = await fetched(page, at('/v1/embed/session'), { token });
  ok('status' in session && session.status === 200, JSON.stringify(session));
  const creation = { method: 'POST', token, body: '{"name":"From a page","scopes":["a"]}' };
  const made = await fetched(page, at('/v1/embed/keys'), creation);
  ok('status' in made && made.status === 201, JSON.stringify(made));
  match(String(Object(made.body).key), /^kr_live_/);
  const wider = await fetched(page, at('/v1/embed/keys'), {
    ...creation,
    body: '{"scopes":["b"]}',
  });
  ok('status' in wider && wider.status === 403, 'a page can read the reason for a rejection');
  deepEqual(Object(Object(wider.body).error).missing_scopes, ['b']);

  for (const asked of [{ token }, creation]) {
    const path = 'body' in asked ? '/v1/embed/keys' : '/v1/embed/session';
    ok(isBlocked(await fetched(evil, at(path), asked)), 'the browser blocks it');
  }
  const direct = await fetch(at('/v1/embed/session'), {
    headers: { authorization: `Bearer ${token}`, origin: foreign },
  });
  equal(direct.status, 403, 'the server rejects it too');
  equal(Object(await direct.json()).error.code, 'origin_not_allowed');
  const { data } = await vendor('GET /v1/keys', { tenant_id: tenant.id });
  deepEqual(
    data.map(({ name }) => name),
    ['From a page'],
  );

  const minting = `{"project_id":"${projectId}","tenant_id":"${tenant.id}","env":"live"}`;
  const mint = { method: 'POST', token: secretKey, body: minting };
  ok(isBlocked(await fetched(page, at('/v1/embed_tokens'), mint)), 'no page can create tokens');
  ok(
    isBlocked(await fetched(page, at('/v1/keys'), { token: secretKey })),
    'no page can read the vendor plane',
  );

  await vendor('POST /v1/tenants/{id}/embed_tokens/revoke', { id: tenant.id });
  const ended = await fetched(page, at('/v1/embed/session'), { token });
  ok('status' in ended && ended.status === 401, 'a page can read that its token has expired');
  equal(Object(Object(ended.body).error).code, 'invalid_token');
});
