// Fixtures for webhook endpoints. Their URL has no server, so connections are refused immediately.
import type { Harness, Input } from '@keyrail/testing/harness.ts';
import type { Fixture } from './fixtures.ts';

const CLOSED = 'http://127.0.0.1:1/hook';
/**
 * How many endpoints to keep: fewer than a workspace may have, so that there is always room for
 * another.
 */
const KEPT_MAX = 10;

/** Deletes endpoints beyond the number to keep, so that there is room for another. */
async function makeRoom({ as }: Harness): Promise<void> {
  const { data } = await as.liveKey('GET /v1/webhook_endpoints', { limit: 100 });
  for (const { id } of data.slice(KEPT_MAX)) {
    await as.liveKey('DELETE /v1/webhook_endpoints/{id}', { id });
  }
}

const wanted =
  (env: 'live' | 'test' | null) =>
  async (app: Harness): Promise<Input> => {
    await makeRoom(app);
    return { url: CLOSED, events: ['project.created'], env };
  };

const anEndpoint = async (app: Harness): Promise<Input> => {
  const { id } = await app.as.liveKey('POST /v1/webhook_endpoints', await wanted('live')(app));
  return { id };
};

const aDelivery = async (app: Harness): Promise<Input> => {
  const { id } = await anEndpoint(app).then((endpoint) =>
    app.as.liveKey('POST /v1/webhook_endpoints/{id}/test', endpoint),
  );
  return { id };
};

const changing = (input: Fixture['input'], audit: string): Fixture => ({
  caller: 'liveKey',
  input,
  audits: [audit],
  beyond: input,
});

const reading = { caller: 'liveKey', audits: [] } as const;

export const webhookFixtures = {
  'POST /v1/webhook_endpoints': {
    caller: 'liveKey',
    input: wanted('test'),
    audits: ['webhook_endpoint.created'],
    beyond: wanted(null),
  },
  'GET /v1/webhook_endpoints': { ...reading, input: () => ({}), beyond: null },
  'GET /v1/webhook_endpoints/{id}': { ...reading, input: anEndpoint, beyond: anEndpoint },
  'PATCH /v1/webhook_endpoints/{id}': changing(
    async (app) => ({ ...(await anEndpoint(app)), description: 'Another' }),
    'webhook_endpoint.updated',
  ),
  'DELETE /v1/webhook_endpoints/{id}': changing(anEndpoint, 'webhook_endpoint.deleted'),
  'POST /v1/webhook_endpoints/{id}/rotate_secret': changing(
    anEndpoint,
    'webhook_endpoint.secret_rotated',
  ),
  'POST /v1/webhook_endpoints/{id}/test': changing(anEndpoint, 'webhook_endpoint.tested'),
  'GET /v1/webhook_endpoints/{id}/deliveries': {
    ...reading,
    input: anEndpoint,
    beyond: anEndpoint,
  },
  'POST /v1/webhook_deliveries/{id}/retry': changing(aDelivery, 'webhook_endpoint.redelivered'),
} satisfies Record<string, Fixture>;
