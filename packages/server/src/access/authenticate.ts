// Credential → principal. One switch over what is presented, one table of what is accepted where.
import type { Auth } from '@keyrail/protocol/endpoint.ts';
import { goOn } from '../base/at-once.ts';
import { ApiError, forbidden } from '../base/errors.ts';
import type { Principal } from './principal.ts';

/**
 * How a secret key may be known: by a reading of its own, by a recent one, which is as good since a
 * revocation is not answered before it is too old, or by one that may be seconds old.
 */
export type Freshness = 'new' | 'recent' | 'hot';

/** One way in for each kind of credential; each throws its own 401. */
export type Credentials = {
  secretKey(token: string, freshness: Freshness): Promise<Principal> | Principal;
  session(token: string): Promise<Principal>;
  embedToken(token: string): Promise<Principal>;
  isBootstrap(token: string): boolean;
};

type Presented = Exclude<Principal['kind'], 'nobody'>;

const accepted: Record<Exclude<Auth, 'none' | 'signature'>, readonly Presented[]> = {
  vendor: ['secret_key', 'session'],
  session: ['session'],
  machine: ['secret_key'],
  machineHot: ['secret_key'],
  minting: ['secret_key'],
  embed: ['embed'],
  founder: ['session', 'bootstrap'],
};

const names: Record<Presented, string> = {
  secret_key: 'a secret key',
  session: 'a session',
  embed: 'an embed token',
  bootstrap: 'the bootstrap token',
};

const freshnessOn: { [A in Auth]?: Freshness } = { machineHot: 'hot', minting: 'new' };

const nobody: Principal = { kind: 'nobody' };

export function authenticate(
  credentials: Credentials,
  auth: Auth,
  authorization: string | undefined,
): Promise<Principal> | Principal {
  // A signed webhook proves itself by its body, inside its own operation.
  if (auth === 'none' || auth === 'signature') return nobody;
  return goOn(principalFor(credentials, auth, bearerToken(authorization)), (principal) => {
    if (principal.kind === 'nobody' || !accepted[auth].includes(principal.kind)) {
      const wanted = accepted[auth].map((kind) => names[kind]).join(' or ');
      throw forbidden(`This endpoint takes ${wanted}.`);
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
  // First, because an operator may have chosen one that has dots too.
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
