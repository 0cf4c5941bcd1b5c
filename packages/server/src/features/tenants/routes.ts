// Tenants: the vendor's customer organisations. Tenants don't belong to an environment. A test key
// may read and create tenants, but not change them, because a change would affect live keys.
import { tenantEndpoints } from '@keyrail/protocol/endpoints/tenants.ts';
import { notedPageOf, positionOf } from '../../http/page.ts';
import { planned, serve } from '../../http/route.ts';
import { createTenant } from './create-tenant.ts';
import { deleteTenant } from './delete-tenant.ts';
import { presentDeleted, presentEmbedTokensRevoked, presentTenant } from './present.ts';
import { revokeEmbedTokens } from './revoke-embed-tokens.ts';
import { listTenants, loadTenant } from './rows.ts';
import { updateTenant } from './update-tenant.ts';

export const tenantRoutes = serve(tenantEndpoints, {
  'POST /v1/tenants': {
    boundary: 'sharedCreate',
    door: 'write',
    whenQuarantined: 'refuse',
    run: async ({ write, body }) =>
      write(
        (tx) =>
          createTenant(tx, {
            externalId: body.external_id,
            name: body.name ?? null,
            meta: body.meta ?? {},
          }),
        presentTenant,
      ),
  },
  'GET /v1/tenants': {
    boundary: 'shared',
    door: 'read',
    run: ({ read, query, after }) =>
      notedPageOf(query.limit, {
        workspaceId: read.reach.workspaceId,
        list: (size) =>
          listTenants(
            read,
            {
              externalId: query.external_id,
              ids: query.id,
              q: query.q,
              after: positionOf(after),
            },
            size,
          ),
        present: presentTenant,
      }),
  },
  'GET /v1/tenants/{id}': {
    boundary: 'shared',
    door: 'read',
    run: async ({ read, params }) => presentTenant(await loadTenant(read, params.id)),
  },
  'PATCH /v1/tenants/{id}': {
    boundary: 'shared',
    door: 'write',
    whenQuarantined: 'refuse',
    run: async ({ write, params, body }) => {
      const patch = { name: body.name, meta: body.meta };
      return presentTenant(await write((tx) => updateTenant(tx, { id: params.id, patch })));
    },
  },
  'POST /v1/tenants/{id}/embed_tokens/revoke': {
    boundary: 'shared',
    door: 'write',
    whenQuarantined: 'refuse',
    storage: 'reserve',
    goesFirst: true,
    run: async ({ write, params }) =>
      write((tx) => revokeEmbedTokens(tx, { id: params.id }), presentEmbedTokensRevoked),
  },
  'DELETE /v1/tenants/{id}': {
    boundary: 'shared',
    door: 'write',
    whenQuarantined: 'refuse',
    storage: 'reserve',
    patience: 'stepped',
    plan: ({ params }) => planned((tx) => deleteTenant(tx, { id: params.id }), presentDeleted),
  },
});
