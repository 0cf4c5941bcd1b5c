// Embed tokens: signed and verified by this deployment, and checked against the database on every
// request, so that a revocation takes effect on the next request.
import type { KeyObject } from 'node:crypto';
import { type JWTVerifyGetKey, jwtVerify, SignJWT } from 'jose';
import { ApiError } from '../base/errors.ts';
import { Secret } from '../base/secret.ts';
import type { Gate } from '../doors/gate.ts';
import type { EmbedFact } from '../doors/gate-queries.ts';
import { claimsOf, type EmbedClaims, payloadOf } from './embed-claims.ts';
import type { EmbedPrincipal } from '../access/principal.ts';
import type { SigningKeys } from './keys.ts';

const ALG = 'EdDSA';
const TYP = 'keyrail-embed+jwt';

type EmbedTokenParts = {
  gate: Gate;
  signingKeys: SigningKeys;
  issuer: string;
  /** The maximum number of unrevoked keys per tenant, project and environment. */
  keysMax: number;
};

export async function signEmbedToken(
  claims: EmbedClaims,
  { key, kid, issuer }: { key: KeyObject; kid: string; issuer: string },
): Promise<Secret> {
  const token = new SignJWT(payloadOf(claims, issuer));
  return new Secret(await token.setProtectedHeader({ alg: ALG, typ: TYP, kid }).sign(key));
}

/** Origin and scope are not checked here; see embed-rules.ts. */
export async function embedPrincipal(
  { gate, signingKeys, issuer, keysMax }: EmbedTokenParts,
  token: string,
): Promise<EmbedPrincipal> {
  const { claims, kid } = await verified(token, { signingKeys, issuer });
  const { workspaceId, tenantId, projectId } = claims;
  const fact = await gate.findEmbedFact({ kid, workspaceId, tenantId, projectId });
  if (!fact || fact.epoch !== claims.epoch || fact.now >= claims.expiresAt) throw refusal();
  return principalOf(claims, fact, keysMax);
}

const refusal = (cause?: unknown): ApiError =>
  new ApiError('invalid_embed_token', undefined, { cause });

type Verified = { claims: EmbedClaims; kid: string };

async function verified(
  token: string,
  { signingKeys, issuer }: Pick<EmbedTokenParts, 'signingKeys' | 'issuer'>,
): Promise<Verified> {
  if (!isSpelledOnce(token)) throw refusal();
  // The key comes from our own list by `kid`; no other header field selects it.
  const keyOf: JWTVerifyGetKey = async ({ kid }) => {
    const key = kid === undefined ? null : await signingKeys.verifying(kid, 'embed_token');
    if (!key) throw refusal();
    return key;
  };
  // Expiry is checked later against the database's clock, so the check is disabled here.
  const rules = { algorithms: [ALG], issuer, currentDate: new Date(0) };
  const { payload, protectedHeader } = await jwtVerify(token, keyOf, rules).catch(refusedBy);
  const claims = claimsOf(payload);
  const { typ, kid } = protectedHeader;
  if (!claims || typ !== TYP || kid === undefined) throw refusal();
  return { claims, kid };
}

/** Decoders accept several base64 encodings of the same bytes; only the one issued is valid. */
const isSpelledOnce = (token: string): boolean =>
  token.split('.').every((part) => Buffer.from(part, 'base64url').toString('base64url') === part);

/** All faults of a token give the same error. Others, such as a store outage, are rethrown. */
function refusedBy(error: unknown): never {
  const isOfToken =
    error instanceof Error && 'code' in error && /^ERR_J(OSE|W[A-Z]+)_/.test(String(error.code));
  throw isOfToken ? refusal(error) : error;
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
      projectId,
      keysMax,
      keyScopes: scopes.filter((scope) => scope.startsWith(GRANT)).map(bareScope),
      actor: { type: 'embed', id: jti },
      // Roles apply to the vendor's people; here the scopes of the token are the limit.
      authority: 'admin',
    },
  };
}

const bareScope = (grant: string): string => grant.slice(GRANT.length);
