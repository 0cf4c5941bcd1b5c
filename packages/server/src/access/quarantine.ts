// A secret key that was found in public works for one more hour, so that its owner can replace it.
// The finder holds the same key for the same hour. So a quarantined key keeps what production
// needs, and changes nothing that outlives it.
import { forbidden } from '../base/errors.ts';
import type { Principal } from './principal.ts';

/** What a route that changes something answers to a quarantined secret key. */
export type WhenQuarantined = 'allow' | 'refuse';

export function refuseQuarantined(principal: Principal, whenQuarantined: WhenQuarantined): void {
  if (principal.kind !== 'secret_key' || !principal.isQuarantined) return;
  if (whenQuarantined === 'refuse') {
    throw forbidden('A quarantined key cannot make or end credentials.');
  }
}
