// The OpenAPI document and its readable form. Both are made from the protocol, when first asked
// for: a server that nobody asks pays nothing.
import type { Line } from '@keyrail/protocol/endpoint.ts';
import { buildOpenApi } from '@keyrail/protocol/openapi.ts';
import type { FastifyInstance } from 'fastify';
import { ApiError } from '../base/errors.ts';
import { type Headers, headersFor, standardHeaders } from './headers.ts';
import { referenceIcon } from './reference-colours.ts';
import { referencePage } from './reference-page.ts';
import { referenceStyle } from './reference-style.ts';

const VERSION = '0.1.0';

/** Stricter than any page needs in general, as this one has no script, no form and no frame. */
const PAGE_POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self'; " +
  "form-action 'none'; frame-ancestors 'none'; base-uri 'none'";

export type DocumentParts = {
  publicUrl: string;
  /** Lines that this version documents and does not serve. */
  notYetServed: readonly Line[];
};

type Document = { path: string; type: string; policy?: string; make(): string };

export function documentRoutes(app: FastifyInstance, parts: DocumentParts): void {
  const standard = standardHeaders(parts.publicUrl);
  for (const document of documentsOf(parts)) addDocument(app, document, standard);
}

function documentsOf({ publicUrl: url, notYetServed }: DocumentParts): Document[] {
  const openApi = once(() => buildOpenApi({ url, version: VERSION }));
  return [
    { path: '/openapi.json', type: 'application/json', make: () => JSON.stringify(openApi()) },
    {
      path: '/docs',
      type: 'text/html',
      policy: PAGE_POLICY,
      make: () => referencePage({ url, version: VERSION, openApi: openApi(), notYetServed }),
    },
    { path: '/docs/style.css', type: 'text/css', make: () => referenceStyle },
    { path: '/docs/icon.svg', type: 'image/svg+xml', make: () => referenceIcon },
  ];
}

const METHODS_ANSWERED = ['GET', 'HEAD'];

function addDocument(
  app: FastifyInstance,
  { path, type, policy, make }: Document,
  standard: Headers,
): void {
  const text = once(make);
  app.get(path, (request, reply) => {
    reply.headers(headersFor(request, standard));
    if (policy) reply.header('content-security-policy', policy);
    return reply.type(`${type}; charset=utf-8`).send(text());
  });
  const refuse = async (): Promise<never> => {
    const headers = { allow: METHODS_ANSWERED.join(', ') };
    throw new ApiError('method_not_allowed', undefined, { headers });
  };
  app.route({
    method: app.supportedMethods.filter((method) => !METHODS_ANSWERED.includes(method)),
    url: path,
    onRequest: refuse,
    handler: refuse,
  });
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
