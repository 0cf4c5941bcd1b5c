// A leaked secret key keeps working for one more hour, so that its owner can replace it. During
// that hour, anyone with a copy can also use it. So a quarantined key may do what production needs,
// but may not make changes that outlive it.
import { forbidden } from '../base/errors.ts';
import type { Principal } from './principal.ts';

/** Whether a route that changes something accepts a quarantined secret key. */
export type WhenQuarantined = 'allow' | 'refuse';

export function refuseQuarantined(principal: Principal, whenQuarantined: WhenQuarantined): void {
  if (principal.kind !== 'secret_key' || !principal.isQuarantined) return;
  if (whenQuarantined === 'refuse') {
    throw forbidden('A quarantined secret key cannot make this change.');
  }
}
