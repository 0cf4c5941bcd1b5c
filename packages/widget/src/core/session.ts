// The session that belongs to a token, or the reason there is no usable token.
import type { Answer } from '@keyrail/client';
import type { TokenExpiredDetail } from '../types.ts';

export type Session = Answer<'GET /v1/embed/session'>;

/**
 * Why there is no usable token: a reason given in the `token-expired` event, or an origin that
 * isn't registered.
 */
export type Ending = TokenExpiredDetail['reason'] | 'origin_not_allowed';

export type ConnectionState = { session: Session | null; ending: Ending | null };

export const isSameTenant = (one: Session, other: Session): boolean =>
  one.tenant.id === other.tenant.id && one.project.id === other.project.id && one.env === other.env;

export const isSameSession = (one: Session, other: Session): boolean =>
  isSameTenant(one, other) &&
  one.scopes.length === other.scopes.length &&
  one.scopes.every((scope) => other.scopes.includes(scope));

const GRANT = 'key_scope:';

/** The scopes a new key may have. */
export const grantsOf = ({ scopes }: Session): string[] =>
  scopes.filter((scope) => scope.startsWith(GRANT)).map((scope) => scope.slice(GRANT.length));

export const mayWrite = ({ scopes }: Session): boolean => scopes.includes('keys:write');
