// The endpoints for embed tokens. They offer the same key operations as the vendor's API, but only
// for the token's tenant, project and environment; no request field can choose others.
import { embedEndpoints, embedTokenEndpoints } from '@keyrail/protocol/endpoints/embed.ts';
import { embeddedIn } from '../../access/principal.ts';
import { notedPageOf, positionOf } from '../../http/page.ts';
import { type ServedRoute, serve } from '../../http/route.ts';
import { createKey } from '../keys/create-key.ts';
import { listKeys } from '../keys/list.rows.ts';
import { presentCreated, presentRotated, presentTenantKey } from '../keys/present.ts';
import { revokeKey } from '../keys/revoke-key.ts';
import { rotateKey } from '../keys/rotate-key.ts';
import { loadProject } from '../projects/rows.ts';
import { loadTenant } from '../tenants/rows.ts';
import { presentKeyUsage } from '../usage/present.ts';
import { readKeyUsage } from '../usage/read-key-usage.ts';
import { type IssuingParts, issueEmbedToken } from './issue-embed-token.ts';
import { presentSession, presentToken } from './present.ts';

export const embedTokenRoutes = (parts: IssuingParts): ServedRoute[] =>
  serve(embedTokenEndpoints, {
    'POST /v1/embed_tokens': {
      boundary: 'rows',
      door: 'read',
      whenQuarantined: 'allow',
      run: async ({ read, body }) => {
        const wanted = {
          projectId: body.project_id,
          tenantId: body.tenant_id,
          env: body.env,
          scopes: body.scopes,
          origins: body.origins,
        };
        return presentToken(await issueEmbedToken(read, parts, wanted));
      },
    },
  });

export const embedRoutes = serve(embedEndpoints, {
  'GET /v1/embed/session': {
    boundary: 'rows',
    door: 'read',
    run: async ({ read, principal }) => {
      const { holder, tenantId, projectId } = embeddedIn(principal);
      const project = await loadProject(read, projectId);
      return presentSession(holder, { project, tenant: await loadTenant(read, tenantId) });
    },
  },
  'GET /v1/embed/keys': {
    boundary: 'rows',
    door: 'read',
    run: ({ read, query, after }) => {
      const filter = { includeRevoked: query.include_revoked };
      return notedPageOf(query.limit, {
        workspaceId: read.reach.workspaceId,
        list: (size) => listKeys(read, { filter, after: positionOf(after) }, size),
        present: presentTenantKey,
      });
    },
  },
  'POST /v1/embed/keys': {
    boundary: 'rows',
    door: 'write',
    run: async ({ write, body, principal }) => {
      const { holder, tenantId, projectId } = embeddedIn(principal);
      return presentCreated(
        await write((tx) =>
          createKey(tx, {
            projectId,
            tenantId,
            env: holder.env,
            name: body.name ?? null,
            scopes: body.scopes ?? [],
            meta: {},
            rateLimits: null,
            expiresAt: null,
          }),
        ),
      );
    },
  },
  'POST /v1/embed/keys/{id}/rotate': {
    boundary: 'rows',
    door: 'write',
    run: async ({ write, params, body }) =>
      presentRotated(
        await write((tx) => rotateKey(tx, { id: params.id, overlapHours: body.overlap_hours })),
      ),
  },
  'POST /v1/embed/keys/{id}/revoke': {
    boundary: 'rows',
    door: 'write',
    storage: 'reserve',
    goesFirst: true,
    run: async ({ write, params, body }) =>
      presentTenantKey(
        await write((tx) => revokeKey(tx, { id: params.id, reason: body.reason ?? null })),
      ),
  },
  'GET /v1/embed/keys/{id}/usage': {
    boundary: 'rows',
    door: 'read',
    run: async ({ read, params, query }) =>
      presentKeyUsage(await readKeyUsage(read, { id: params.id, days: query.days })),
  },
});
