// Serves the key manager's script. Any origin may load it, because it is used on vendors' pages.
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { takes } from '../compress.ts';
import { headersFor, standardHeaders } from '../headers.ts';
import { refuseChanges } from '../transport/method-not-allowed.ts';

const WIDGET_PATH = '/widget.js';
const FILE = 'widget.js';
const CACHED_FOR_SECONDS = 300;

const headers = {
  'access-control-allow-origin': '*',
  'cross-origin-resource-policy': 'cross-origin',
  'cache-control': `public, max-age=${CACHED_FOR_SECONDS}`,
  vary: 'accept-encoding',
};

type Encoding = 'br' | 'gzip' | 'identity';
type Script = { bytes: Buffer; etag: string };

const endings: Readonly<Record<Encoding, string>> = { br: '.br', gzip: '.gz', identity: '' };

/**
 * If the widget is not built, the path doesn't exist. The log message about the missing dashboard
 * covers this too.
 */
export function widgetRoutes(
  app: FastifyInstance,
  { folder, publicUrl }: { folder: string; publicUrl: string },
): void {
  if (!existsSync(join(folder, FILE))) return;
  const standard = { ...standardHeaders(publicUrl), ...headers };
  const kept = new Map<Encoding, Promise<Script>>();
  const scriptIn = (encoding: Encoding): Promise<Script> => {
    const known = kept.get(encoding) ?? readScript(folder, encoding);
    kept.set(encoding, known);
    return known;
  };
  app.get(WIDGET_PATH, async (request, reply) => {
    reply.headers(headersFor(request, standard)).type('text/javascript; charset=utf-8');
    const encoding = encodingFor(request);
    return sendScript({ request, reply, encoding }, await scriptIn(encoding));
  });
  refuseChanges(app, WIDGET_PATH);
}

function encodingFor({ headers: { 'accept-encoding': accepted } }: FastifyRequest): Encoding {
  const text = String(accepted ?? '');
  return (['br', 'gzip'] as const).find((each) => takes(text, each)) ?? 'identity';
}

async function readScript(folder: string, encoding: Encoding): Promise<Script> {
  const bytes = await readFile(join(folder, FILE + endings[encoding]));
  const sum = createHash('sha256').update(bytes).digest('base64url');
  return { bytes, etag: `"${sum}"` };
}

type Exchange = { request: FastifyRequest; reply: FastifyReply; encoding: Encoding };

function sendScript({ request, reply, encoding }: Exchange, { bytes, etag }: Script): FastifyReply {
  reply.header('etag', etag);
  const known = String(request.headers['if-none-match'] ?? '').split(',');
  if (known.some((each) => each.trim() === etag)) return reply.code(304).send();
  if (encoding !== 'identity') reply.header('content-encoding', encoding);
  return reply.send(bytes);
}
