// Turns a credential into a principal: determines the credential's kind, and checks that the
// endpoint accepts it.
import { createHash, timingSafeEqual } from 'node:crypto';
import { type Auth, accepts, type Credential } from '@keyrail/protocol/wire/auth.ts';
import { ApiError, forbidden } from '../base/errors.ts';
import { chain } from '../base/maybe-async.ts';
import type { Secret } from '../base/secret.ts';
import type { Principal } from './principal.ts';

/**
 * How old a cached secret key may be. `new`: the cache isn't used. `recent`: tens of
 * milliseconds, which is just as safe, because a revocation is not confirmed until such copies have
 * expired. `hot`: seconds.
 */
export type Freshness = 'new' | 'recent' | 'hot';

/** One function per kind of credential; each throws its own 401. */
export type Credentials = {
  secretKey(token: string, freshness: Freshness): Promise<Principal> | Principal;
  session(token: string): Promise<Principal>;
  embedToken(token: string): Promise<Principal>;
  isBootstrap(token: string): boolean;
};

const names: Record<Credential, string> = {
  secret_key: 'a secret key',
  session: 'a session',
  embed: 'an embed token',
  bootstrap: 'the bootstrap token',
  signature: 'a signature',
};

const freshnessOn: { [A in Auth]?: Freshness } = { machineHot: 'hot', minting: 'new' };

const nobody: Principal = { kind: 'nobody' };

type Presented = {
  authorization: string | undefined;
  /** Called as soon as the caller is identified, even if the request is then rejected. */
  identified?: ((principal: Principal) => void) | undefined;
};

export function authenticate(
  credentials: Credentials,
  auth: Auth,
  { authorization, identified }: Presented,
): Promise<Principal> | Principal {
  // A signed webhook is authenticated by its operation, which verifies the body's signature.
  if (auth === 'none' || auth === 'signature') return nobody;
  return chain(principalFor(credentials, auth, bearerToken(authorization)), (principal) => {
    identified?.(principal);
    const accepted: readonly string[] = accepts[auth];
    if (!accepted.includes(principal.kind)) {
      const wanted = accepts[auth].map((kind) => names[kind]).join(' or ');
      throw forbidden(`This endpoint requires ${wanted}.`);
    }
    if (auth === 'vendor' && principal.kind === 'session' && !principal.reach) {
      throw new ApiError('no_active_workspace');
    }
    return principal;
  });
}

function principalFor(
  credentials: Credentials,
  auth: Auth,
  token: string,
): Promise<Principal> | Principal {
  if (token.startsWith('krsk_')) return credentials.secretKey(token, freshnessOn[auth] ?? 'recent');
  if (token.startsWith('krses_')) return credentials.session(token);
  // Checked before embed tokens, because a bootstrap token can also contain dots.
  if (credentials.isBootstrap(token)) return { kind: 'bootstrap' };
  if (/^[\w-]+\.[\w-]+\.[\w-]*$/.test(token)) return credentials.embedToken(token);
  throw new ApiError('invalid_key');
}

function bearerToken(authorization: string | undefined): string {
  if (authorization === undefined || authorization === '') {
    throw new ApiError('missing_credential');
  }
  const token = /^bearer +(\S+)$/i.exec(authorization)?.[1];
  if (token === undefined) throw new ApiError('invalid_key');
  return token;
}

/** Compares digests of equal length, so that timing reveals nothing about the token. */
export function tokenCheck(token: Secret | null): (presented: string) => boolean {
  if (!token) return () => false;
  const expected = digest(token.reveal());
  return (presented) => timingSafeEqual(digest(presented), expected);
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
