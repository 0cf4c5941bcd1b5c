// The HTTP server with the test's own routes and without a database.
import type { TestContext } from 'node:test';
import { openLog } from '@keyrail/server/base/log.ts';
import type { ServedRoute } from '@keyrail/server/http/route.ts';
import { buildServer, type ServerParts } from '@keyrail/server/http/server.ts';
import type { FastifyInstance } from 'fastify';

/** Starts the server, which closes when the test ends. */
export function bareServer(
  t: TestContext,
  routes: readonly ServedRoute[],
  more: Partial<ServerParts> = {},
): FastifyInstance {
  const parts = {
    checkAnswers: true,
    chargeEmbedChange: () => {},
    notePermission: () => {},
    chargeClient: async () => {},
    log: openLog('silent', process.stderr),
    newRequestId: () => 'made',
    publicUrl: 'http://keyrail.test',
    db: { expect: () => () => {} },
    trustProxy: false,
    ...more,
  };
  const app = buildServer(routes, parts as unknown as ServerParts);
  t.after(() => app.close());
  return app;
}
