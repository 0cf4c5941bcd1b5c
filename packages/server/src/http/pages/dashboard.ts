// Serves the dashboard: one page for all of its own paths, and its hashed assets. All other paths
// are unaffected. If the dashboard is not built, the root redirects to the reference.
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isUnencrypted } from '@keyrail/protocol/wire/base-url.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { takes } from '../compress.ts';
import { type Headers, headersFor, standardHeaders } from '../headers.ts';
import { refuseChanges } from '../transport/method-not-allowed.ts';
import { redirectRoot } from './documents.ts';

export const DASHBOARD_PATHS = [
  '/',
  '/sign-in',
  '/sign-up',
  '/forgot-password',
  '/verify-email',
  '/reset-password',
  '/accept-invite',
  '/workspaces',
  '/workspaces/new',
  '/account',
  '/system',
  '/w/*',
] as const;

/** Also sent with scripts, because web workers don't inherit the page's policy. */
export const DASHBOARD_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types keyrail',
].join('; ');

const ASSET_PATH = '/assets/:name';
/**
 * No slash, and no dot except before the file extension, so a name can't point outside the folder.
 */
const ASSET_NAME = /^[\w-]{1,100}-[A-Z0-9]{8}\.(js|css|svg|woff2)$/;
const ASSETS_KEPT_MAX = 1000;
const CACHED_FOR_SECONDS = 31_536_000;

const types: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml; charset=utf-8',
  woff2: 'font/woff2',
};

const endings = { br: '.br', gzip: '.gz' } as const;

type Parts = { folder: string; publicUrl: string; log: Log };

export function dashboardRoutes(app: FastifyInstance, parts: Parts): void {
  const { folder, publicUrl, log } = parts;
  if (!existsSync(join(folder, 'index.html'))) {
    log.warn(
      { folder },
      'the dashboard is not built, so / redirects to /docs; to build it, run "npm run build"',
    );
    redirectRoot(app, publicUrl);
    return;
  }
  const standard = { ...standardHeaders(publicUrl), 'content-security-policy': DASHBOARD_POLICY };
  for (const path of DASHBOARD_PATHS) {
    // Read on every request, because a new build replaces the assets that the page refers to.
    app.get(path, async (request, reply) => {
      reply.headers(pageHeaders(request, standard, publicUrl));
      return reply
        .type('text/html; charset=utf-8')
        .send(await readFile(join(folder, 'index.html')));
    });
    refuseChanges(app, path);
  }
  const assets = createAssets(join(folder, 'assets'));
  app.get<{ Params: { name: string } }>(ASSET_PATH, (request, reply) =>
    sendAsset(request, reply.headers(headersFor(request, standard)), assets),
  );
  refuseChanges(app, ASSET_PATH);
}

/**
 * Leaves out the opener policy over plain HTTP, except on this machine, because browsers would
 * ignore it and log an error.
 */
function pageHeaders(
  request: FastifyRequest,
  standard: Readonly<Headers>,
  publicUrl: string,
): Headers {
  const headers = headersFor(request, standard);
  const local = `http://${request.headers.host ?? ''}`;
  const isSecure = publicUrl.startsWith('https:') || (URL.canParse(local) && !isUnencrypted(local));
  if (!isSecure) delete headers['cross-origin-opener-policy'];
  return headers;
}

type Assets = (file: string) => Promise<Buffer | null>;

/** An asset's name changes whenever its content does, so assets can be kept in memory. */
function createAssets(folder: string): Assets {
  const kept = new Map<string, Buffer>();
  return async (file) => {
    const known = kept.get(file);
    if (known) return known;
    const bytes = await readFile(join(folder, file)).catch(() => null);
    if (bytes && kept.size < ASSETS_KEPT_MAX) kept.set(file, bytes);
    return bytes;
  };
}

async function sendAsset(
  request: FastifyRequest<{ Params: { name: string } }>,
  reply: FastifyReply,
  assets: Assets,
): Promise<FastifyReply> {
  const { name } = request.params;
  const ending = ASSET_NAME.exec(name)?.[1];
  if (ending === undefined) throw new ApiError('not_found');
  const accepted = String(request.headers['accept-encoding'] ?? '');
  for (const encoding of ['br', 'gzip'] as const) {
    const bytes = takes(accepted, encoding) ? await assets(name + endings[encoding]) : null;
    if (bytes) return cached(reply.header('content-encoding', encoding), ending).send(bytes);
  }
  const bytes = await assets(name);
  if (!bytes) throw new ApiError('not_found');
  return cached(reply, ending).send(bytes);
}

const cached = (reply: FastifyReply, ending: string): FastifyReply =>
  reply
    .header('cache-control', `public, max-age=${CACHED_FOR_SECONDS}, immutable`)
    .header('vary', 'accept-encoding')
    .type(types[ending] ?? 'application/octet-stream');
