// Secret keys: the credentials of the vendor's own backend.
import { secretKeyEndpoints } from '@keyrail/protocol/endpoints/secret-keys.ts';
import { profiles } from '@keyrail/protocol/wire/permissions.ts';
import { assert } from '../../base/assert.ts';
import type { Read } from '../../doors/door.ts';
import { notedPageOf, positionOf } from '../../http/page.ts';
import { planned, serve } from '../../http/route.ts';
import { createSecretKey } from './create-secret-key.ts';
import { narrowSecretKey } from './narrow-secret-key.ts';
import { presentCreated, presentRotated, presentSecretKey, presentUsage } from './present.ts';
import { revokeSecretKey } from './revoke-secret-key.ts';
import { rotateSecretKey } from './rotate-secret-key.ts';
import { listPermissionUses, listSecretKeys, loadSecretKey } from './rows.ts';

export const secretKeyRoutes = serve(secretKeyEndpoints, {
  'POST /v1/secret_keys': {
    boundary: 'rows',
    door: 'write',
    whenQuarantined: 'refuse',
    run: async ({ write, body }) =>
      write(
        (tx) =>
          createSecretKey(tx, {
            env: body.env,
            name: body.name ?? null,
            meta: body.meta ?? {},
            expiresAt: body.expires_at ?? null,
            permissions: body.profile ? [...profiles[body.profile]] : (body.permissions ?? null),
            projectIds: body.project_ids ?? null,
            networks: body.networks ?? null,
          }),
        presentCreated,
      ),
  },
  'GET /v1/secret_keys': {
    boundary: 'rows',
    door: 'read',
    run: ({ read, query, after }) =>
      notedPageOf(query.limit, {
        workspaceId: read.reach.workspaceId,
        list: (size) => listSecretKeys(read, { ids: query.id, after: positionOf(after) }, size),
        present: presentSecretKey,
      }),
  },
  'GET /v1/secret_keys/current': {
    boundary: 'rows',
    door: 'read',
    run: async ({ read }) => presentSecretKey(await loadSecretKey(read, callingKey(read))),
  },
  'GET /v1/secret_keys/{id}': {
    boundary: 'rows',
    door: 'read',
    run: async ({ read, params }) => presentSecretKey(await loadSecretKey(read, params.id)),
  },
  'GET /v1/secret_keys/{id}/usage': {
    boundary: 'rows',
    door: 'read',
    run: async ({ read, params }) => {
      const { id } = await loadSecretKey(read, params.id);
      return presentUsage(id, await listPermissionUses(read, id));
    },
  },
  'PATCH /v1/secret_keys/{id}': {
    boundary: 'rows',
    door: 'write',
    whenQuarantined: 'refuse',
    plan: ({ params, body }) => {
      const { expires_at: expiresAt, project_ids: projectIds, ...rest } = body;
      const patch = { ...rest, expiresAt, projectIds };
      return planned((tx) => narrowSecretKey(tx, { id: params.id, patch }), presentSecretKey);
    },
  },
  'POST /v1/secret_keys/{id}/rotate': {
    boundary: 'rows',
    door: 'write',
    whenQuarantined: 'refuse',
    plan: ({ params, body }) =>
      planned(
        (tx) => rotateSecretKey(tx, { id: params.id, overlapHours: body.overlap_hours }),
        presentRotated,
      ),
  },
  'POST /v1/secret_keys/{id}/revoke': {
    boundary: 'rows',
    door: 'write',
    whenQuarantined: 'refuse',
    storage: 'reserve',
    goesFirst: true,
    plan: ({ params, body }) =>
      planned(
        (tx) => revokeSecretKey(tx, { id: params.id, reason: body.reason ?? null }),
        presentSecretKey,
      ),
  },
});

function callingKey({ reach }: Read): string {
  assert(reach.actor.id, 'a secret-key endpoint was called without a secret key');
  return reach.actor.id;
}
