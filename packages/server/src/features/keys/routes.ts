// The vendor's endpoints for API keys.
import { keyEndpoints } from '@keyrail/protocol/endpoints/keys.ts';
import { shared } from '../../base/coalesce.ts';
import { notedPageOf, positionOf } from '../../http/page.ts';
import { type ServedRoute, serve } from '../../http/route.ts';
import type { PolicyHub } from '../../volatile/policy-hub.ts';
import type { KnownNode } from '../policy/node.rows.ts';
import { presentKeyUsage } from '../usage/present.ts';
import { readKeyUsage } from '../usage/read-key-usage.ts';
import { awaitNodes } from './await-nodes.ts';
import { createKey } from './create-key.ts';
import { importKeys } from './import-keys.ts';
import {
  presentAwaited,
  presentCreated,
  presentImported,
  presentKey,
  presentRotated,
} from './present.ts';
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
    'POST /v1/keys/import': {
      boundary: 'rows',
      door: 'write',
      whenQuarantined: 'refuse',
      run: async ({ write, body }) =>
        presentImported(
          await write((tx) =>
            importKeys(tx, {
              projectId: body.project_id,
              env: body.env,
              keys: body.keys.map((key) => ({
                tenantId: key.tenant_id,
                tenantExternalId: key.tenant_external_id,
                lookupHash: key.lookup_hash,
                displayPrefix: key.display_prefix,
                name: key.name ?? null,
                scopes: key.scopes ?? [],
                meta: key.meta ?? {},
                rateLimits: key.rate_limits ?? null,
                expiresAt: key.expires_at ?? null,
              })),
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
    'GET /v1/keys/{id}/usage': {
      boundary: 'rows',
      door: 'read',
      run: async ({ read, params, query }) =>
        presentKeyUsage(await readKeyUsage(read, { id: params.id, days: query.days })),
    },
  });
