// The OpenAPI document and the reference page, as a browser receives them.
import { equal, match, ok } from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { allEndpoints } from '@keyrail/protocol/endpoints/all.ts';
import { operationId } from '@keyrail/protocol/operation-names.ts';
import { errorCodes } from '@keyrail/protocol/wire/error-codes.ts';
import type { InjectOptions } from 'fastify';
import { openLog } from '../../base/log.ts';
import { apiHeaders } from '../headers.ts';
import { buildServer, type ServerParts } from '../server.ts';
import { documentRoutes, redirectRoot } from './documents.ts';

const lines = Object.keys(allEndpoints);

const publicUrl = 'https://keys.example.com';

/** A server with only the documents. The parts that endpoints need are missing. */
function documentServer() {
  const log = openLog('silent', process.stderr);
  const parts = { log, newRequestId: () => 'one', publicUrl, trustProxy: false };
  const app = buildServer([], parts as ServerParts);
  documentRoutes(app, publicUrl);
  redirectRoot(app, publicUrl);
  return app;
}

const get = (url: string) => documentServer().inject({ method: 'GET', url });

test("the OpenAPI document is JSON and contains this server's URL", async () => {
  const answer = await get('/openapi.json');
  equal(answer.headers['content-type'], 'application/json; charset=utf-8');
  equal(answer.json().servers[0].url, 'https://keys.example.com');
});

test('in the reference, every endpoint has its own anchor', async () => {
  const { body } = await get('/docs');
  for (const line of lines) equal(body.split(` id="${operationId(line)}"`).length, 2, line);
});

test('the reference explains every error code', async () => {
  const { body } = await get('/docs');
  const inHtml = (text: string) => text.replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  for (const { message } of Object.values(errorCodes)) ok(body.includes(inHtml(message)), message);
});

test('every link inside the reference has a target', async () => {
  const { body } = await get('/docs');
  const ids = new Set(Array.from(body.matchAll(/ id="([^"]+)"/g), ([, id]) => id));
  const targets = Array.from(body.matchAll(/href="#([^"]*)"/g), ([, id]) => id);
  ok(targets.length > lines.length);
  // The link that closes the menu deliberately has no target.
  for (const target of targets) ok(target === '_' || ids.has(target), target);
});

test("the page's security policy allows its one script, its style sheet and its images", async () => {
  const { headers, body } = await get('/docs');
  const scripts = Array.from(body.matchAll(/<script>(.*?)<\/script>/gs), ([, text = '']) => text);
  equal(scripts.length, 1);
  const hash = createHash('sha256').update(scripts.join('')).digest('base64');
  equal(
    headers['content-security-policy'],
    `default-src 'none'; script-src 'sha256-${hash}'; style-src 'self'; img-src 'self'; ` +
      "form-action 'none'; frame-ancestors 'none'; base-uri 'none'",
  );
  equal(headers['cache-control'], 'no-store');
  equal(headers['x-content-type-options'], 'nosniff');
  equal(/<script[^>]| style="| on\w+="|javascript:/i.test(body), false);
  const outside = Array.from(body.matchAll(/(?:src|href)="([^"]+)"/g), ([, to]) => to ?? '');
  equal(outside.filter((to) => !/^[#/](?!\/)/.test(to)).length, 0);
});

test('the style sheet and the icon are sent with the API’s content security policy', async () => {
  for (const [url, type] of [
    ['/docs/style.css', 'text/css; charset=utf-8'],
    ['/docs/icon.svg', 'image/svg+xml; charset=utf-8'],
  ] as const) {
    const { headers, statusCode } = await get(url);
    equal(statusCode, 200);
    equal(headers['content-type'], type);
    equal(headers['content-security-policy'], apiHeaders['content-security-policy']);
  }
});

test('without a dashboard, the root redirects to the reference, regardless of what the client accepts', async () => {
  const app = documentServer();
  for (const accept of ['text/html', 'application/json', '*/*']) {
    for (const method of ['GET', 'HEAD'] as const) {
      const answer = await app.inject({ method, url: '/?from=bookmark', headers: { accept } });
      equal(answer.statusCode, 302);
      equal(answer.headers.location, '/docs');
      equal(answer.headers['cache-control'], 'no-store');
    }
  }
  const refused = await app.inject({ method: 'POST', url: '/' });
  equal(refused.statusCode, 405);
});

test('documents support HEAD and reject methods that change data', async () => {
  const app = documentServer();
  equal((await app.inject({ method: 'HEAD', url: '/docs' })).statusCode, 200);
  for (const method of ['POST', 'DELETE', 'OPTIONS', 'PROPFIND', 'QUERY']) {
    const refused = await app.inject({ method, url: '/docs' } as InjectOptions);
    equal(refused.statusCode, 405, method);
    match(refused.body, /does not support that method/);
  }
});
