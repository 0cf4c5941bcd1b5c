// When a key ends, API key or secret key alike. `expiresAt` is the end that counts, the earliest of
// all that was decided; `vendorExpiresAt` is what the vendor asked for, which a successor inherits.
import { QUARANTINE_HOURS } from '@keyrail/protocol/limits.ts';
import { earlier, hoursAfter } from '../../base/duration.ts';
import { conflict } from '../../base/errors.ts';

type Life = {
  expiresAt: Date | null;
  vendorExpiresAt: Date | null;
  revokedAt: Date | null;
  quarantinedAt: Date | null;
};

/**
 * Both ends after a rotation, or a refusal. No chain of rotations outlives what the vendor asked
 * for, and neither an earlier rotation nor a quarantine shortens the successor.
 */
export function endsAfterRotation(
  old: Life,
  { now, overlapHours }: { now: Date; overlapHours: number },
): { predecessor: Date; successor: Date | null } {
  if (old.revokedAt) throw conflict('A revoked key cannot be rotated.');
  if (old.vendorExpiresAt && old.vendorExpiresAt <= now) {
    throw conflict('An expired key cannot be rotated.');
  }
  return {
    predecessor: earlier(old.expiresAt, hoursAfter(now, overlapHours)),
    successor: old.vendorExpiresAt,
  };
}

/** A leaked key goes on for an hour, so that its owner can replace it, and never for longer. */
export const endAfterQuarantine = ({ expiresAt }: Life, now: Date): Date =>
  earlier(expiresAt, hoursAfter(now, QUARANTINE_HOURS));

/**
 * The end that a vendor sets is the vendor's decision: it may also undo what a rotation wrote. The
 * end of a leaked key only ever moves closer; what it was when the leak was reported is the latest.
 */
export function refuseProlonging({ quarantinedAt, expiresAt }: Life, wanted: Date | null): void {
  if (!quarantinedAt || !expiresAt) return;
  if (wanted && wanted <= expiresAt) return;
  throw conflict('The expiry of a quarantined key can only be moved closer.', 'expires_at');
}
