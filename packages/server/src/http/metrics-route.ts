// GET /metrics, for a scraper that sends the configured token. If no token is configured, the path
// does not exist.
import { METRICS_CONTENT_TYPE } from '@keyrail/protocol/wire/metrics-text.ts';
import type { FastifyInstance } from 'fastify';
import { tokenCheck } from '../access/authenticate.ts';
import { ApiError } from '../base/errors.ts';
import type { Secret } from '../base/secret.ts';
import type { Metrics } from '../observe/metrics.ts';
import { type Headers, headersFor } from './headers.ts';
import { refuseChanges } from './transport/method-not-allowed.ts';

export type Metering = { metrics: Metrics; token: Secret };

const PATH = '/metrics';

export function metricsRoute(
  app: FastifyInstance,
  { metrics, token }: Metering,
  standard: Readonly<Headers>,
): void {
  const isToken = tokenCheck(token);
  app.get(PATH, async (request, reply) => {
    const presented = /^bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? '';
    if (!isToken(presented)) {
      throw new ApiError('invalid_key', 'Wrong or missing KEYRAIL_METRICS_TOKEN.');
    }
    const text = await metrics.text();
    return reply.headers(headersFor(request, standard)).type(METRICS_CONTENT_TYPE).send(text);
  });
  refuseChanges(app, PATH);
}
