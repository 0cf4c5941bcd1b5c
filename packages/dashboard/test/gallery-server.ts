// Builds the gallery and serves it with the product's content security policy. Only tests use it.
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { basename, extname, join } from 'node:path';
import type { TestContext } from 'node:test';
import { promisify } from 'node:util';
import { DASHBOARD_POLICY } from '@keyrail/server/http/pages/dashboard.ts';

const BUILD = join(import.meta.dirname, '../../../scripts/build-browser.mjs');

const run = promisify(execFile);

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/** Starts a server for the gallery and returns its origin. The gallery is the root page. */
export async function serveGallery(t: TestContext): Promise<string> {
  const out = await mkdtemp(join(tmpdir(), 'kr-gallery-'));
  await run(process.execPath, [BUILD, '--gallery', out]);
  const server = createServer(async ({ url = '/' }, response) => {
    const [path = '/'] = url.split('?');
    const file = path.startsWith('/assets/')
      ? join(out, 'assets', basename(path))
      : join(out, 'gallery.html');
    const bytes = await readFile(file).catch(() => null);
    response.writeHead(bytes ? 200 : 404, {
      'content-security-policy': DASHBOARD_POLICY,
      'content-type': types[extname(file)] ?? 'text/plain',
    });
    response.end(bytes);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  server.unref();
  t.after(async () => {
    server.closeAllConnections();
    server.close();
    await rm(out, { recursive: true, force: true });
  });
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('no address');
  return `http://127.0.0.1:${address.port}`;
}
