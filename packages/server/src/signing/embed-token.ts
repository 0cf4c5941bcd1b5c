// Signs embed tokens, and verifies that this deployment signed them. Whether a valid token has
// since been revoked is read from the database on every request: see access/embed-principal.ts.
import type { KeyObject } from 'node:crypto';
import { type JWTVerifyGetKey, jwtVerify, SignJWT } from 'jose';
import { ApiError } from '../base/errors.ts';
import { Secret } from '../base/secret.ts';
import { claimsOf, type EmbedClaims, payloadOf } from './embed-claims.ts';
import type { SigningKeys } from './keys.ts';

const ALG = 'EdDSA';
const TYP = 'keyrail-embed+jwt';

export async function signEmbedToken(
  claims: EmbedClaims,
  { key, kid, issuer }: { key: KeyObject; kid: string; issuer: string },
): Promise<Secret> {
  const token = new SignJWT(payloadOf(claims, issuer));
  return new Secret(await token.setProtectedHeader({ alg: ALG, typ: TYP, kid }).sign(key));
}

type VerifyingParts = { signingKeys: Pick<SigningKeys, 'verifying'>; issuer: string };

type Verified = { claims: EmbedClaims; kid: string };

/**
 * This function doesn't check whether the token has expired, because that depends on the database's
 * clock.
 */
export async function verifyEmbedToken(
  token: string,
  { signingKeys, issuer }: VerifyingParts,
): Promise<Verified> {
  if (!isSpelledOnce(token)) throw refusal();
  // The key is looked up in the deployment's own list by `kid`. No other header field influences
  // the choice.
  const keyOf: JWTVerifyGetKey = async ({ kid }) => {
    const key = kid === undefined ? null : await signingKeys.verifying(kid, 'embed_token');
    if (!key) throw refusal();
    return key;
  };
  // Passing time zero as the current date disables the library's expiry check.
  const rules = { algorithms: [ALG], issuer, currentDate: new Date(0) };
  const { payload, protectedHeader } = await jwtVerify(token, keyOf, rules).catch(refusedBy);
  const claims = claimsOf(payload);
  const { typ, kid } = protectedHeader;
  if (!claims || typ !== TYP || kid === undefined) throw refusal();
  return { claims, kid };
}

const refusal = (cause?: unknown): ApiError =>
  new ApiError('invalid_embed_token', undefined, { cause });

/**
 * Decoders accept several base64 encodings of the same bytes; only the issued encoding is valid.
 */
const isSpelledOnce = (token: string): boolean =>
  token.split('.').every((part) => Buffer.from(part, 'base64url').toString('base64url') === part);

/**
 * Every fault in a token produces the same error. Other errors, such as a store outage, are
 * rethrown.
 */
function refusedBy(error: unknown): never {
  const isOfToken =
    error instanceof Error && 'code' in error && /^ERR_J(OSE|W[A-Z]+)_/.test(String(error.code));
  throw isOfToken ? refusal(error) : error;
}
