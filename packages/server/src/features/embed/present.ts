// Turns tokens and sessions into embed API objects. No other file in this feature puts a token in a
// response.

import type { EmbedSession, EmbedToken } from '@keyrail/protocol/objects/embed.ts';
import {
  EMBED_REFRESH_BEFORE_SECONDS,
  EMBED_TOKEN_SECONDS,
} from '@keyrail/protocol/wire/limits.ts';
import type { EmbedPrincipal } from '../../access/principal.ts';
import { msAfter, SECOND_MS } from '../../base/duration.ts';
import { wireTime } from '../../base/wire-time.ts';
import type { ProjectRow } from '../projects/rows.ts';
import type { TenantRow } from '../tenants/rows.ts';
import type { IssuedToken } from './issue-embed-token.ts';

export const presentToken = ({ claims, kid, token }: IssuedToken): EmbedToken => ({
  object: 'embed_token',
  token: token.reveal(),
  jti: claims.jti,
  kid,
  project_id: claims.projectId,
  env: claims.env,
  tenant_id: claims.tenantId,
  tenant_external_id: claims.tenantExternalId,
  scopes: [...claims.scopes],
  audience: [...claims.audience],
  epoch: claims.epoch,
  issued_at: wireTime(claims.issuedAt),
  expires_at: wireTime(claims.expiresAt),
  expires_in: EMBED_TOKEN_SECONDS,
  refresh_after: wireTime(msAfter(claims.expiresAt, -EMBED_REFRESH_BEFORE_SECONDS * SECOND_MS)),
});

export const presentSession = (
  { env, scopes, expiresAt, expiresInMs }: EmbedPrincipal,
  { project, tenant }: { project: ProjectRow; tenant: TenantRow },
): EmbedSession => ({
  object: 'embed_session',
  project: { id: project.id, name: project.name, slug: project.slug },
  env,
  test_mode: env === 'test',
  tenant: { id: tenant.id, external_id: tenant.externalId, name: tenant.name },
  scopes: [...scopes],
  expires_at: wireTime(expiresAt),
  expires_in: Math.floor(expiresInMs / SECOND_MS),
});
