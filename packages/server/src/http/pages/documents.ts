// The OpenAPI document and the reference page. Both are built on the first request, so that they
// don't slow down startup.
import { createHash } from 'node:crypto';
import { buildOpenApi } from '@keyrail/protocol/openapi.ts';
import { filterScript } from '@keyrail/reference/filter.ts';
import { referencePage } from '@keyrail/reference/page.ts';
import { referenceIcon } from '@keyrail/reference/palette.ts';
import { referenceStyle } from '@keyrail/reference/style.ts';
import type { FastifyInstance } from 'fastify';
import { VERSION } from '../../base/version.ts';
import { type Headers, headersFor, standardHeaders } from '../headers.ts';
import { refuseChanges } from '../transport/method-not-allowed.ts';

/** The page has one script, which the policy allows by its hash, and no forms or frames. */
const pagePolicy = (): string =>
  `default-src 'none'; script-src 'sha256-${sha256(filterScript)}'; style-src 'self'; ` +
  "img-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'";

const sha256 = (text: string): string => createHash('sha256').update(text).digest('base64');

const links = {
  styleUrl: '/docs/style.css',
  iconUrl: '/docs/icon.svg',
  documentUrl: '/openapi.json',
};

const PAGE_PATH = '/docs';

type Document = { path: string; type: string; policy?: string; make(): string };

export function documentRoutes(app: FastifyInstance, publicUrl: string): void {
  const standard = standardHeaders(publicUrl);
  for (const document of documentsOf(publicUrl)) addDocument(app, document, standard);
}

/** For deployments without the dashboard, which would otherwise be at the root. */
export function redirectRoot(app: FastifyInstance, publicUrl: string): void {
  const standard = standardHeaders(publicUrl);
  app.get('/', (request, reply) =>
    reply.headers(headersFor(request, standard)).redirect(PAGE_PATH, 302),
  );
  refuseChanges(app, '/');
}

function documentsOf(url: string): Document[] {
  const openApi = once(() => buildOpenApi({ url, version: VERSION }));
  return [
    { path: links.documentUrl, type: 'application/json', make: () => JSON.stringify(openApi()) },
    {
      path: PAGE_PATH,
      type: 'text/html',
      policy: pagePolicy(),
      make: () => referencePage(openApi(), links),
    },
    { path: links.styleUrl, type: 'text/css', make: () => referenceStyle },
    { path: links.iconUrl, type: 'image/svg+xml', make: () => referenceIcon },
  ];
}

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
  refuseChanges(app, path);
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
