// Turns an embed token into a principal. The token is checked against the database on every
// request, so a revocation takes effect on the next one.
import { ApiError } from '../base/errors.ts';
import type { EmbedClaims } from '../signing/embed-claims.ts';
import { verifyEmbedToken } from '../signing/embed-token.ts';
import type { SigningKeys } from '../signing/keys.ts';
import type { EmbedFact, Lookups } from './gate.rows.ts';
import type { EmbedPrincipal } from './principal.ts';

type EmbedTokenParts = {
  lookups: Pick<Lookups, 'findEmbedFact'>;
  signingKeys: SigningKeys;
  issuer: string;
  /** The maximum number of unrevoked keys per tenant, project and environment. */
  keysMax: number;
};

/** The origin and the scope are checked in embed-rules.ts, not here. */
export async function embedPrincipal(
  { lookups, signingKeys, issuer, keysMax }: EmbedTokenParts,
  token: string,
): Promise<EmbedPrincipal> {
  const { claims, kid } = await verifyEmbedToken(token, { signingKeys, issuer });
  const { workspaceId, tenantId, projectId } = claims;
  const fact = await lookups.findEmbedFact({ kid, workspaceId, tenantId, projectId });
  if (!fact || fact.epoch !== claims.epoch || fact.now >= claims.expiresAt) {
    throw new ApiError('invalid_embed_token');
  }
  return principalOf(claims, fact, keysMax);
}

const GRANT = 'key_scope:';

function principalOf(
  claims: EmbedClaims,
  { origins, now }: EmbedFact,
  keysMax: number,
): EmbedPrincipal {
  const { workspaceId, tenantId, projectId, env, scopes, expiresAt, audience, jti } = claims;
  return {
    kind: 'embed',
    env,
    scopes,
    origins: audience.filter((origin) => origins.includes(origin)),
    expiresAt,
    expiresInMs: expiresAt.getTime() - now.getTime(),
    reach: {
      workspaceId,
      envs: [env],
      tenantId,
      projectIds: [projectId],
      keysMax,
      keyScopes: scopes.filter((scope) => scope.startsWith(GRANT)).map(bareScope),
      actor: { type: 'embed', id: jti },
      // Roles apply only to the vendor's members. An embed token is limited by its scopes instead.
      authority: 'admin',
    },
  };
}

const bareScope = (grant: string): string => grant.slice(GRANT.length);
