// Outbound events: a vendor's endpoints, and the deliveries to them.
import { webhookEndpoints } from '@keyrail/protocol/endpoints/webhooks.ts';
import type { BoundSealing } from '../../base/sealing.ts';
import { nextAfter, pageOf, positionOf } from '../../http/page.ts';
import { type ServedRoute, serve } from '../../http/route.ts';
import { createEndpoint } from './create-endpoint.ts';
import { deleteEndpoint } from './delete-endpoint.ts';
import type { Place } from './host-names.ts';
import { presentDeleted, presentDelivery, presentEndpoint, presentWithSecret } from './present.ts';
import { type QueuedTest, queueTest } from './queue-test.ts';
import { retryDelivery } from './retry-delivery.ts';
import { rotateSecret } from './rotate-secret.ts';
import { listDeliveries, listEndpoints, loadDelivery, loadEndpoint } from './rows.ts';
import { checkTarget, type TargetRules } from './target-url.ts';
import { updateEndpoint } from './update-endpoint.ts';

export type WebhookRouteParts = {
  webhookTargets: TargetRules;
  webhookSealing: BoundSealing;
  /** Sends a queued test. Resolves once the result has been recorded. */
  sendWebhookTest(test: QueuedTest, place: Place): Promise<void>;
};

export const webhookRoutes = ({
  webhookTargets: targets,
  webhookSealing: sealing,
  sendWebhookTest,
}: WebhookRouteParts): ServedRoute[] =>
  serve(webhookEndpoints, {
    'POST /v1/webhook_endpoints': {
      boundary: 'rows',
      door: 'write',
      whenQuarantined: 'refuse',
      patience: 'stepped',
      run: async ({ read, write, body, gone }) => {
        const { events, env = null, description = null } = body;
        // The URL is checked before the transaction, because looking up its host name may take
        // seconds.
        const registering = { ...read.reach, signal: gone() };
        const url = await checkTarget(body.url, targets, registering);
        const wanted = { url, events, env, description };
        return write((tx) => createEndpoint(tx, wanted, sealing), presentWithSecret);
      },
    },
    'GET /v1/webhook_endpoints': {
      boundary: 'rows',
      door: 'read',
      run: ({ read, query, after }) =>
        pageOf(query.limit, {
          list: (limit) => listEndpoints(read, { after: positionOf(after), limit }),
          present: presentEndpoint,
          next: nextAfter,
        }),
    },
    'GET /v1/webhook_endpoints/{id}': {
      boundary: 'rows',
      door: 'read',
      run: async ({ read, params }) => presentEndpoint(await loadEndpoint(read, params.id)),
    },
    'PATCH /v1/webhook_endpoints/{id}': {
      boundary: 'rows',
      door: 'write',
      whenQuarantined: 'refuse',
      patience: 'stepped',
      run: async ({ read, write, params, body, gone }) => {
        const { url: asked, ...patch } = body;
        const registering = { ...read.reach, signal: gone() };
        const url =
          asked === undefined ? undefined : await checkTarget(asked, targets, registering);
        return presentEndpoint(
          await write((tx) => updateEndpoint(tx, params.id, { ...patch, url })),
        );
      },
    },
    'DELETE /v1/webhook_endpoints/{id}': {
      boundary: 'rows',
      door: 'write',
      whenQuarantined: 'refuse',
      storage: 'reserve',
      run: async ({ write, params }) =>
        presentDeleted(await write((tx) => deleteEndpoint(tx, params.id))),
    },
    'POST /v1/webhook_endpoints/{id}/rotate_secret': {
      boundary: 'rows',
      door: 'write',
      whenQuarantined: 'refuse',
      run: async ({ write, params, body }) => {
        const wanted = { id: params.id, overlapHours: body.overlap_hours };
        return write((tx) => rotateSecret(tx, wanted, sealing), presentWithSecret);
      },
    },
    'POST /v1/webhook_endpoints/{id}/test': {
      boundary: 'rows',
      door: 'write',
      whenQuarantined: 'refuse',
      patience: 'stepped',
      run: async ({ write, read, params }) => {
        const place = targets.hostNames.takePlace(read.reach.workspaceId);
        try {
          const { id } = await write((tx) => queueTest(tx, params.id), presentDelivery);
          await sendWebhookTest({ id, endpointId: params.id }, place);
          return presentDelivery(await loadDelivery(read, id));
        } finally {
          place.release();
        }
      },
    },
    'GET /v1/webhook_endpoints/{id}/deliveries': {
      boundary: 'rows',
      door: 'read',
      run: async ({ read, params, query, after }) => {
        const { id: endpointId } = await loadEndpoint(read, params.id);
        const { state } = query;
        return pageOf(query.limit, {
          list: (limit) =>
            listDeliveries(read, { endpointId, state, after: positionOf(after), limit }),
          present: presentDelivery,
          next: nextAfter,
        });
      },
    },
    'POST /v1/webhook_deliveries/{id}/retry': {
      boundary: 'rows',
      door: 'write',
      whenQuarantined: 'refuse',
      run: async ({ write, params }) =>
        write((tx) => retryDelivery(tx, params.id), presentDelivery),
    },
  });
