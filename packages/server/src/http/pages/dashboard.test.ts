// The dashboard as a browser receives it: paths, assets and headers.
import { deepEqual, equal, match } from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { bareServer } from '@keyrail/testing/bare-server.ts';
import { openLog } from '../../base/log.ts';
import { apiHeaders } from '../headers.ts';
import { DASHBOARD_PATHS, dashboardRoutes } from './dashboard.ts';
import { documentRoutes } from './documents.ts';

const PAGE = '<!doctype html><title>Keyrail</title>';
const SCRIPT = 'export const one = 1;';
const SCRIPT_NAME = 'main-ABCD1234.js';

async function built(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'kr-dashboard-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  await mkdir(join(folder, 'assets'));
  await writeFile(join(folder, 'index.html'), PAGE);
  await writeFile(join(folder, 'made-from'), 'a checksum');
  await writeFile(join(folder, 'assets', SCRIPT_NAME), SCRIPT);
  await writeFile(join(folder, 'assets', `${SCRIPT_NAME}.gz`), gzipSync(SCRIPT));
  await writeFile(join(folder, 'assets', 'plain.js'), SCRIPT);
  return folder;
}

function serverOn(t: TestContext, folder: string, publicUrl = 'https://keys.example.com') {
  const app = bareServer(t, []);
  documentRoutes(app, publicUrl);
  dashboardRoutes(app, { folder, publicUrl, log: openLog('silent', process.stderr) });
  return app;
}

test('every dashboard path serves the page, uncached and with its security policy', async (t) => {
  const app = serverOn(t, await built(t));
  const paths = DASHBOARD_PATHS.map((path) => path.replace('*', 'acme/live/keys/0190?tab=usage'));
  for (const url of [...paths, '/w/docs', '/?from=mail']) {
    const { statusCode, headers, body } = await app.inject({ url });
    deepEqual([statusCode, body], [200, PAGE], url);
    equal(headers['content-type'], 'text/html; charset=utf-8');
    equal(headers['cache-control'], 'no-store');
    equal(
      headers['content-security-policy'],
      "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; " +
        "img-src 'self'; connect-src 'self'; worker-src 'self'; manifest-src 'self'; " +
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
        "require-trusted-types-for 'script'; trusted-types keyrail",
    );
    for (const name of ['x-content-type-options', 'referrer-policy', 'x-frame-options']) {
      equal(headers[name], Reflect.get(apiHeaders, name), name);
    }
  }
  equal((await app.inject({ method: 'HEAD', url: '/sign-in' })).statusCode, 200);
  equal((await app.inject({ method: 'POST', url: '/sign-in' })).statusCode, 405);
  match((await app.inject({ url: '/docs' })).body, /Keyrail/);
});

test("paths outside the dashboard get a 404 with the API's headers", async (t) => {
  const app = serverOn(t, await built(t));
  for (const url of ['/keys', '/sign-in/', '/workspaces/other', '/w', '/gallery', '/index.html']) {
    const { statusCode, headers } = await app.inject({ url });
    equal(statusCode, 404, url);
    equal(headers['content-security-policy'], apiHeaders['content-security-policy'], url);
  }
});

test('an asset is cached permanently, and compressed if the client accepts it', async (t) => {
  const app = serverOn(t, await built(t));
  const url = `/assets/${SCRIPT_NAME}`;
  const small = await app.inject({ url, headers: { 'accept-encoding': 'br;q=0, gzip' } });
  deepEqual([small.statusCode, small.headers['content-encoding']], [200, 'gzip']);
  deepEqual(small.rawPayload, gzipSync(SCRIPT));
  const plain = await app.inject({ url });
  deepEqual([plain.statusCode, plain.body], [200, SCRIPT]);
  for (const { headers } of [small, plain]) {
    equal(headers['cache-control'], 'public, max-age=31536000, immutable');
    equal(headers.vary, 'accept-encoding');
    equal(headers['content-type'], 'text/javascript; charset=utf-8');
    match(String(headers['content-security-policy']), /connect-src 'self'/);
  }
  equal((await app.inject({ method: 'DELETE', url })).statusCode, 405);
});

test('only assets with a hashed name are served, and no path escapes the folder', async (t) => {
  const app = serverOn(t, await built(t));
  for (const name of [
    'plain.js',
    'other-ABCD1234.js',
    `${SCRIPT_NAME}.gz`,
    '..%2fmade-from',
    '..%2f..%2fpackage.json',
    '%2e%2e%2findex.html',
    '../index.html',
    'a%00-ABCD1234.js',
    '..%5cindex-ABCD1234.js',
    `sub%2f${SCRIPT_NAME}`,
  ]) {
    const { statusCode, body } = await app.inject({ url: `/assets/${name}` });
    equal(statusCode, 404, name);
    equal(body.includes('checksum') || body.includes('doctype'), false, name);
  }
});

test('the opener policy is only sent over TLS or on a loopback address', async (t) => {
  const folder = await built(t);
  const header = async (publicUrl: string, host: string) => {
    const { headers } = await serverOn(t, folder, publicUrl).inject({
      url: '/',
      headers: { host },
    });
    return headers['cross-origin-opener-policy'];
  };
  equal(await header('https://keys.example.com', 'keys.example.com'), 'same-origin');
  equal(await header('http://127.0.0.1:4400', '127.0.0.1:4400'), 'same-origin');
  equal(await header('http://127.0.0.1:4400', 'keys.internal:4400'), undefined);
});

test('if the dashboard is not built, the root redirects to the reference, and the log says why', async (t) => {
  const lines: string[] = [];
  const app = bareServer(t, []);
  const out = new PassThrough();
  out.on('data', (line) => lines.push(String(line)));
  const log = openLog('warn', out);
  dashboardRoutes(app, { folder: '/nowhere', publicUrl: 'https://keys.example.com', log });
  const { statusCode, headers } = await app.inject({ url: '/' });
  deepEqual([statusCode, headers.location], [302, '/docs']);
  equal((await app.inject({ url: '/sign-in' })).statusCode, 404);
  equal(lines.length, 1);
  match(lines.join(''), /the dashboard is not built/);
});
