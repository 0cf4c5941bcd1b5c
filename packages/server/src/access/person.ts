// The signed-in person behind a session line.
import { assert } from '../base/assert.ts';
import { ApiError } from '../base/errors.ts';
import type { Principal } from './principal.ts';

export type Person = Extract<Principal, { kind: 'session' }>;

export function personOf(principal: Principal): Person {
  assert(principal.kind === 'session', 'a session line without a session');
  return principal;
}

/** A person whose address no mail has proven yet. Other credentials are not about a person. */
export function refuseUnverified(principal: Principal): void {
  if (principal.kind === 'session' && !principal.isVerified) throw new ApiError('email_unverified');
}
