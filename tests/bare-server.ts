// The HTTP server with the test's own routes and without a database.
import type { TestContext } from 'node:test';
import type { FastifyInstance } from 'fastify';
import { openLog } from '../packages/server/src/base/log.ts';
import type { ServedRoute } from '../packages/server/src/http/route.ts';
import { buildServer, type ServerParts } from '../packages/server/src/http/server.ts';

/** Closes when the test ends. */
export function bareServer(
  t: TestContext,
  routes: readonly ServedRoute[],
  more: Partial<ServerParts> = {},
): FastifyInstance {
  const parts = {
    checkAnswers: true,
    chargeEmbedChange: () => {},
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
