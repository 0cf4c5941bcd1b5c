// The signed-in person behind a session.
import { assert } from '../base/assert.ts';
import { ApiError } from '../base/errors.ts';
import type { Principal } from './principal.ts';

type Person = Extract<Principal, { kind: 'session' }>;

export function personOf(principal: Principal): Person {
  assert(principal.kind === 'session', 'an endpoint for sessions was called without one');
  return principal;
}

/** Refuses a person with an unverified e-mail address. Other credentials pass. */
export function refuseUnverified(principal: Principal): void {
  if (principal.kind === 'session' && !principal.isVerified) throw new ApiError('email_unverified');
}
