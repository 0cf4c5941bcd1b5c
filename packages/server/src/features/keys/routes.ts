// The vendor's endpoints for API keys.
import { keyEndpoints } from '@keyrail/protocol/endpoints/keys.ts';
import { shared } from '../../base/coalesce.ts';
import { notedPageOf, positionOf } from '../../http/page.ts';
import { type ServedRoute, serve } from '../../http/route.ts';
import type { PolicyHub } from '../../volatile/policy-hub.ts';
import type { KnownNode } from '../policy/node.rows.ts';
import { presentKeyUsage } from '../usage/present.ts';
import { readKeyUsage } from '../usage/read-key-usage.ts';
import { awaitNodes, keyChangeOf } from './await-nodes.ts';
import { createKey } from './create-key.ts';
import { presentAwaited, presentCreated, presentKey, presentRotated } from './present.ts';
import { revokeKey } from './revoke-key.ts';
import { rotateKey } from './rotate-key.ts';
import { listKeys, loadKey } from './rows.ts';
import { updateKey } from './update-key.ts';

export type KeyParts = { hub: PolicyHub; revokeWaitMsMax: number };

export const keyRoutes = (
  { hub, revokeWaitMsMax: waitMsMax }: KeyParts,
  sharePoll = shared<KnownNode[]>(),
): ServedRoute[] =>
  serve(keyEndpoints, {
    'POST /v1/keys': {
      boundary: 'rows',
      door: 'write',
      whenQuarantined: 'refuse',
      run: async ({ write, body }) =>
        write(
          (tx) =>
            createKey(tx, {
              projectId: body.project_id,
              tenantId: body.tenant_id,
              env: body.env,
              name: body.name ?? null,
              scopes: body.scopes ?? [],
              meta: body.meta ?? {},
              rateLimits: body.rate_limits ?? null,
              expiresAt: body.expires_at ?? null,
            }),
          presentCreated,
        ),
    },
    'GET /v1/keys': {
      boundary: 'rows',
      door: 'read',
      run: ({ read, query, after }) => {
        const filter = {
          projectId: query.project_id,
          tenantId: query.tenant_id,
          env: query.env,
          includeRevoked: query.include_revoked,
          q: query.q,
        };
        return notedPageOf(query.limit, {
          workspaceId: read.reach.workspaceId,
          list: (size) => listKeys(read, { filter, after: positionOf(after) }, size),
          present: presentKey,
        });
      },
    },
    'GET /v1/keys/{id}': {
      boundary: 'rows',
      door: 'read',
      run: async ({ read, params }) => presentKey(await loadKey(read, params.id)),
    },
    'PATCH /v1/keys/{id}': {
      boundary: 'rows',
      door: 'write',
      whenQuarantined: 'refuse',
      run: async ({ write, params, body }) => {
        const patch = {
          name: body.name,
          scopes: body.scopes,
          meta: body.meta,
          rateLimits: body.rate_limits,
          expiresAt: body.expires_at,
        };
        return presentKey(await write((tx) => updateKey(tx, { id: params.id, patch })));
      },
    },
    'POST /v1/keys/{id}/rotate': {
      boundary: 'rows',
      door: 'write',
      whenQuarantined: 'refuse',
      run: async ({ write, params, body }) =>
        write(
          (tx) => rotateKey(tx, { id: params.id, overlapHours: body.overlap_hours }),
          presentRotated,
        ),
    },
    'POST /v1/keys/{id}/revoke': {
      boundary: 'rows',
      door: 'write',
      whenQuarantined: 'allow',
      storage: 'reserve',
      goesFirst: true,
      patience: 'stepped',
      run: async ({ read, write, params, query, body, gone }) => {
        const { shown, change } = await write(
          (tx) => revokeKey(tx, { id: params.id, reason: body.reason ?? null }),
          (key) => ({ shown: presentKey(key), change: keyChangeOf(key) }),
        );
        if (!query.wait) return shown;
        const waiting = { hub, waitMsMax, signal: gone(), sharePoll };
        return presentAwaited(shown, await awaitNodes(read, change, waiting));
      },
    },
    'GET /v1/keys/{id}/usage': {
      boundary: 'rows',
      door: 'read',
      run: async ({ read, params, query }) =>
        presentKeyUsage(await readKeyUsage(read, { id: params.id, days: query.days })),
    },
  });
