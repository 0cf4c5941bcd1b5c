import { EMBED_TOKEN_SECONDS } from '@keyrail/protocol/wire/limits.ts';
import { assert } from '../../base/assert.ts';
import { msAfter, SECOND_MS } from '../../base/duration.ts';
import { invalid, notFound } from '../../base/errors.ts';
import type { NewId } from '../../base/ids.ts';
import type { Secret } from '../../base/secret.ts';
import type { Read } from '../../doors/door.ts';
import type { Env } from '../../doors/reach.ts';
import type { EmbedClaims } from '../../signing/embed-claims.ts';
import { signEmbedToken } from '../../signing/embed-token.ts';
import type { SigningKeys } from '../../signing/keys.ts';
import { type IssuingFacts, loadIssuingFacts } from './rows.ts';

export type IssuingParts = {
  signingKeys: SigningKeys;
  /** Creates the first signing key for embed tokens. */
  makeFirstSigningKey(): Promise<unknown>;
  newId: NewId;
  publicUrl: string;
};

type WantedToken = {
  projectId: string;
  tenantId: string;
  env: Env;
  scopes: readonly string[];
  /**
   * The origins that may present the token; undefined for all of the workspace's registered
   * origins.
   */
  origins: readonly string[] | undefined;
};

export type IssuedToken = { claims: EmbedClaims; kid: string; token: Secret };

/**
 * Signs a token for one tenant of one project. This isn't audited, because tokens are short-lived.
 */
export async function issueEmbedToken(
  read: Read,
  { signingKeys, makeFirstSigningKey, newId, publicUrl }: IssuingParts,
  wanted: WantedToken,
): Promise<IssuedToken> {
  let facts = await loadIssuingFacts(read, wanted);
  if (facts.kid === null) {
    await makeFirstSigningKey();
    facts = await loadIssuingFacts(read, wanted);
  }
  const { kid } = facts;
  assert(kid !== null, 'no signing key found, although one was just created');
  const claims = claimsFor(read, { jti: newId(), wanted, facts });
  const key = await signingKeys.signing(kid, 'embed_token');
  return { claims, kid, token: await signEmbedToken(claims, { key, kid, issuer: publicUrl }) };
}

function claimsFor(
  { reach }: Read,
  { jti, wanted, facts }: { jti: string; wanted: WantedToken; facts: IssuingFacts },
): EmbedClaims {
  const { externalId, epoch } = facts;
  if (facts.projectId === null) throw notFound('project');
  if (facts.tenantId === null || externalId === null || epoch === null) throw notFound('tenant');
  const issuedAt = wholeSecond(facts.now);
  return {
    jti,
    workspaceId: reach.workspaceId,
    projectId: facts.projectId,
    tenantId: facts.tenantId,
    env: wanted.env,
    tenantExternalId: externalId,
    audience: audienceOf(wanted.origins, facts.origins),
    scopes: [...new Set(wanted.scopes)],
    epoch,
    issuedAt,
    expiresAt: msAfter(issuedAt, EMBED_TOKEN_SECONDS * SECOND_MS),
  };
}

const wholeSecond = (at: Date): Date => new Date(Math.floor(at.getTime() / SECOND_MS) * SECOND_MS);

/**
 * Returns the requested origins, or all registered origins if none were requested. Throws if a
 * requested origin isn't registered.
 */
function audienceOf(
  wanted: readonly string[] | undefined,
  registered: readonly string[],
): string[] {
  if (registered.length === 0) {
    const message =
      'This workspace has no registered origins. Add at least one to embed_origins first.';
    throw invalid('body', [{ path: 'origins', message }]);
  }
  if (wanted === undefined) return [...registered];
  const unknown = wanted.flatMap((origin, at) =>
    registered.includes(origin)
      ? []
      : [
          {
            path: `origins.${at}`,
            message: 'Not a registered origin of this workspace. Add it to embed_origins.',
          },
        ],
  );
  if (unknown.length > 0) throw invalid('body', unknown);
  return [...new Set(wanted)];
}
