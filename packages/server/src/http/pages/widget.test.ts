// The key manager's script, as a vendor's page receives it.
import { deepEqual, equal, match } from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { bareServer } from '@keyrail/testing/bare-server.ts';
import { apiHeaders } from '../headers.ts';
import { widgetRoutes } from './widget.ts';

const SCRIPT = 'export const one = 1;';

async function serverOn(t: TestContext, isBuilt = true) {
  const folder = await mkdtemp(join(tmpdir(), 'kr-widget-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  if (isBuilt) {
    await writeFile(join(folder, 'widget.js'), SCRIPT);
    await writeFile(join(folder, 'widget.js.gz'), gzipSync(SCRIPT));
    await writeFile(join(folder, 'widget.js.br'), brotliCompressSync(SCRIPT));
  }
  const app = bareServer(t, []);
  widgetRoutes(app, { folder, publicUrl: 'https://keys.example.com' });
  return app;
}

test('any origin may load the script and cache it for five minutes', async (t) => {
  const app = await serverOn(t);
  const asked = { url: '/widget.js', headers: { origin: 'https://app.example.com' } };
  const { statusCode, headers, body } = await app.inject(asked);
  deepEqual([statusCode, body], [200, SCRIPT]);
  equal(headers['access-control-allow-origin'], '*');
  equal(headers['cross-origin-resource-policy'], 'cross-origin');
  equal(headers['cache-control'], 'public, max-age=300');
  equal(headers['content-type'], 'text/javascript; charset=utf-8');
  equal(headers['x-content-type-options'], 'nosniff');
  equal(headers['content-security-policy'], apiHeaders['content-security-policy']);
  equal((await app.inject({ ...asked, method: 'HEAD' })).statusCode, 200);
  equal((await app.inject({ ...asked, method: 'POST' })).statusCode, 405);
});

test('each encoding has its own ETag, and a request with that ETag gets no body', async (t) => {
  const app = await serverOn(t);
  const tags = new Set<string>();
  for (const [accepted, encoding] of [
    ['br, gzip', 'br'],
    ['br;q=0, gzip', 'gzip'],
    ['', undefined],
  ] as const) {
    const ask = (more: Record<string, string> = {}) =>
      app.inject({ url: '/widget.js', headers: { 'accept-encoding': accepted, ...more } });
    const { headers } = await ask();
    equal(headers['content-encoding'], encoding);
    equal(headers.vary, 'accept-encoding');
    const etag = String(headers.etag);
    match(etag, /^"[\w-]{43}"$/);
    tags.add(etag);
    const known = await ask({ 'if-none-match': `"other", ${etag}` });
    deepEqual([known.statusCode, known.body, known.headers.etag], [304, '', etag]);
    equal((await ask({ 'if-none-match': '"other"' })).statusCode, 200);
  }
  equal(tags.size, 3);
});

test('if the widget is not built, its path does not exist', async (t) => {
  const app = await serverOn(t, false);
  equal((await app.inject({ url: '/widget.js' })).statusCode, 404);
});
