// The vendor's endpoints for API keys.
import { keyEndpoints } from '@keyrail/protocol/endpoints/keys.ts';
import { shared } from '../../base/coalesce.ts';
import { notedPageOf, pageOf, positionOf } from '../../http/page.ts';
import { type ServedRoute, serve } from '../../http/route.ts';
import type { PolicyHub } from '../../volatile/policy-hub.ts';
import type { KnownNode } from '../policy/node.rows.ts';
import { presentKeyUsage } from '../usage/present.ts';
import { readKeyUsage } from '../usage/read-key-usage.ts';
import { awaitNodes } from './await-nodes.ts';
import type { KeyCountRow } from './count.rows.ts';
import { createKey } from './create-key.ts';
import { disableKey } from './disable-key.ts';
import { enableKey } from './enable-key.ts';
import { listKeys } from './list.rows.ts';
import {
  presentAwaited,
  presentCreated,
  presentKey,
  presentKeyCount,
  presentRotated,
} from './present.ts';
import { readKeyCounts } from './read-key-counts.ts';
import { revokeKey } from './revoke-key.ts';
import { rotateKey } from './rotate-key.ts';
import { loadKey } from './rows.ts';
import { updateKey } from './update-key.ts';

/** The place of a count in its list. */
const placeOf = ({ projectId, tenantId, env }: KeyCountRow): string[] => [
  projectId ?? tenantId ?? '',
  env,
];

const isAt = (row: KeyCountRow, after: readonly string[] | null): boolean =>
  after !== null && placeOf(row).join() === after.join();

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
        presentCreated(
          await write((tx) =>
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
          ),
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
          state: query.state,
          unusedDays: query.unused_days,
          q: query.q,
        };
        return notedPageOf(query.limit, {
          workspaceId: read.reach.workspaceId,
          list: (size) => listKeys(read, { filter, after: positionOf(after) }, size),
          present: presentKey,
        });
      },
    },
    'GET /v1/keys/counts': {
      boundary: 'rows',
      door: 'read',
      run: ({ read, query: { by, id: ids, env, limit }, after }) =>
        pageOf(limit, {
          list: async (most) => {
            const counts = await readKeyCounts(read, { by, ids, env });
            const begin = counts.findIndex((row) => isAt(row, after)) + 1;
            return counts.slice(begin, begin + most);
          },
          present: presentKeyCount,
          next: placeOf,
        }),
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
        presentRotated(
          await write((tx) => rotateKey(tx, { id: params.id, overlapHours: body.overlap_hours })),
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
        const key = await write((tx) =>
          revokeKey(tx, { id: params.id, reason: body.reason ?? null }),
        );
        if (!query.wait) return presentKey(key);
        const waiting = { hub, waitMsMax, signal: gone(), sharePoll };
        return presentAwaited(key, await awaitNodes(read, key, waiting));
      },
    },
    'POST /v1/keys/{id}/disable': {
      boundary: 'rows',
      door: 'write',
      whenQuarantined: 'allow',
      storage: 'reserve',
      goesFirst: true,
      patience: 'stepped',
      run: async ({ read, write, params, query, body, gone }) => {
        const key = await write((tx) =>
          disableKey(tx, { id: params.id, reason: body.reason ?? null }),
        );
        if (!query.wait) return presentKey(key);
        const waiting = { hub, waitMsMax, signal: gone(), sharePoll };
        return presentAwaited(key, await awaitNodes(read, key, waiting));
      },
    },
    'POST /v1/keys/{id}/enable': {
      boundary: 'rows',
      door: 'write',
      whenQuarantined: 'refuse',
      run: async ({ write, params }) =>
        presentKey(await write((tx) => enableKey(tx, { id: params.id }))),
    },
    'GET /v1/keys/{id}/usage': {
      boundary: 'rows',
      door: 'read',
      run: async ({ read, params, query }) =>
        presentKeyUsage(await readKeyUsage(read, { id: params.id, days: query.days })),
    },
  });
