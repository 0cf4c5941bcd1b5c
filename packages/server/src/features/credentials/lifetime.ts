// When an API key or a secret key expires. `expiresAt` is the effective expiry: the earliest of the
// vendor's expiry, the rotation overlap and the quarantine. A new key inherits `vendorExpiresAt`
// when it replaces an old one.
import { whyNotRotatable } from '@keyrail/protocol/wire/key-states.ts';
import { QUARANTINE_HOURS } from '@keyrail/protocol/wire/limits.ts';
import { earlier, hoursAfter } from '../../base/duration.ts';
import { conflict } from '../../base/errors.ts';

type Life = {
  expiresAt: Date | null;
  vendorExpiresAt: Date | null;
  revokedAt: Date | null;
  quarantinedAt: Date | null;
  /** Only API keys can be disabled. */
  disabledAt?: Date | null;
};

/**
 * Returns the expiries of both keys after a rotation, or throws. No chain of rotations can outlive
 * the vendor's expiry. Neither an earlier rotation nor a quarantine shortens the new key's life.
 */
export function endsAfterRotation(
  old: Life,
  { now, overlapHours }: { now: Date; overlapHours: number },
): { predecessor: Date; successor: Date | null } {
  const { revokedAt: revoked_at, disabledAt: disabled_at = null } = old;
  const why = whyNotRotatable({ revoked_at, disabled_at });
  if (why) throw conflict(`A ${why} key cannot be rotated.`);
  if (old.vendorExpiresAt && old.vendorExpiresAt <= now) {
    throw conflict('An expired key cannot be rotated.');
  }
  return {
    predecessor: earlier(old.expiresAt, hoursAfter(now, overlapHours)),
    successor: old.vendorExpiresAt,
  };
}

/** A leaked key works for at most one more hour, which gives its owner time to replace it. */
const quarantineDeadline = (quarantinedAt: Date): Date =>
  hoursAfter(quarantinedAt, QUARANTINE_HOURS);

/**
 * Returns the columns to update when a key is quarantined. A quarantine never extends a key's life.
 */
export const quarantineColumns = ({ expiresAt }: Life, now: Date, reason: string) => ({
  expiresAt: earlier(expiresAt, quarantineDeadline(now)),
  quarantinedAt: now,
  quarantineReason: reason,
});

/**
 * A vendor may set any expiry, even one later than the expiry set by a rotation. A leaked key,
 * however, must expire by its quarantine deadline.
 */
export function refuseProlonging({ quarantinedAt }: Life, wanted: Date | null): void {
  if (!quarantinedAt) return;
  if (wanted && wanted <= quarantineDeadline(quarantinedAt)) return;
  throw conflict('A quarantined key cannot be extended past its deadline.', 'expires_at');
}
