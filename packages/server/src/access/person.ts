// The signed-in person behind a session line.
import { assert } from '../base/assert.ts';
import type { Principal } from './principal.ts';

export type Person = Extract<Principal, { kind: 'session' }>;

export function personOf(principal: Principal): Person {
  assert(principal.kind === 'session', 'a session line without a session');
  return principal;
}
