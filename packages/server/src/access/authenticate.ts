// Credential → principal. One switch over what is presented, one table of what is accepted where.
import type { Auth } from '@keyrail/protocol/endpoint.ts';
import { goOn } from '../base/at-once.ts';
import { ApiError, forbidden } from '../base/errors.ts';
import type { Principal } from './principal.ts';

/** One way in for each kind of credential; each throws its own 401. */
export type Credentials = {
  /** Hot: one that was read a moment ago will do. */
  secretKey(token: string, isHot: boolean): Promise<Principal> | Principal;
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
  embed: ['embed'],
  founder: ['session', 'bootstrap'],
};

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
      throw forbidden('This endpoint does not accept this kind of credential.');
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
  if (token.startsWith('krsk_')) return credentials.secretKey(token, auth === 'machineHot');
  if (token.startsWith('krses_')) return credentials.session(token);
  // An operator may have written it in any way, also with two dots.
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
