// The OpenAPI document and its readable form. Both are made once, from the protocol.
import { buildOpenApi } from '@keyrail/protocol/openapi.ts';
import type { FastifyInstance } from 'fastify';

const VERSION = '0.1.0';

export function documentRoutes(app: FastifyInstance, publicUrl: string): void {
  const openApi = JSON.stringify(buildOpenApi({ url: publicUrl, version: VERSION }));
  app.get('/openapi.json', (_request, reply) =>
    reply.type('application/json; charset=utf-8').send(openApi),
  );
}
