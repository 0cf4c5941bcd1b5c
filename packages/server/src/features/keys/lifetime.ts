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
const quarantineDeadline = (quarantinedAt: Date): Date =>
  hoursAfter(quarantinedAt, QUARANTINE_HOURS);

export const endAfterQuarantine = ({ expiresAt }: Life, now: Date): Date =>
  earlier(expiresAt, quarantineDeadline(now));

/**
 * The end that a vendor sets is the vendor's decision: it may also undo what a rotation wrote. But
 * whatever it decides, a leaked key ends when its hour is over.
 */
export function refuseProlonging({ quarantinedAt }: Life, wanted: Date | null): void {
  if (!quarantinedAt) return;
  if (wanted && wanted <= quarantineDeadline(quarantinedAt)) return;
  throw conflict('A quarantined key cannot be kept beyond its deadline.', 'expires_at');
}
