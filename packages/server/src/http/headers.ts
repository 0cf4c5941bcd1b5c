// The headers sent with every response. The API is meant for programs, so browsers may not frame,
// sniff, cache or execute its responses.
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

/** Only for deployments behind TLS, because browsers ignore this header over plain HTTP. */
const transportHeaders = (publicUrl: string): Headers =>
  publicUrl.startsWith('https:')
    ? { 'strict-transport-security': `max-age=${SECURE_FOR_SECONDS}; includeSubDomains` }
    : {};

export const standardHeaders = (publicUrl: string): Headers => ({
  ...apiHeaders,
  ...transportHeaders(publicUrl),
});

/** The headers for any response to this request, in a new object that the caller may extend. */
export function headersFor(request: FastifyRequest, standard: Readonly<Headers>): Headers {
  const headers: Headers = { ...standard, 'x-request-id': request.id };
  const { origin } = request.headers;
  if (origin && isEmbedPath(request.url)) Object.assign(headers, answerHeaders(origin));
  return headers;
}
