// Headers that every answer carries. The API is for programs: nothing may be framed, sniffed,
// cached or run, whatever a browser is talked into.
import type { FastifyRequest } from 'fastify';
import { answerHeaders, isEmbedPath } from './cors.ts';

export type Headers = Record<string, string>;

export const apiHeaders: Readonly<Headers> = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; base-uri 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

const SECURE_FOR_SECONDS = 31_536_000;

/** Only where the deployment is reached over TLS: on plain HTTP browsers ignore it anyway. */
const transportHeaders = (publicUrl: string): Headers =>
  publicUrl.startsWith('https:')
    ? { 'strict-transport-security': `max-age=${SECURE_FOR_SECONDS}; includeSubDomains` }
    : {};

export const standardHeaders = (publicUrl: string): Headers => ({
  ...apiHeaders,
  ...transportHeaders(publicUrl),
});

/** Of this request's answer, whatever it is: a fresh object, to be added to. */
export function headersFor(request: FastifyRequest, standard: Readonly<Headers>): Headers {
  const headers: Headers = { ...standard, 'x-request-id': request.id };
  const { origin } = request.headers;
  if (origin && isEmbedPath(request.url)) Object.assign(headers, answerHeaders(origin));
  return headers;
}
