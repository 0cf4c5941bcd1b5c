// The states of a key, in order: a key is in the first one that applies.
export const keyStates = [
  'revoked',
  'quarantined',
  'disabled',
  'expired',
  'expiring',
  'active',
] as const;

export type KeyState = (typeof keyStates)[number];

/** Secret keys cannot be disabled. */
export const secretKeyStates = ['revoked', 'quarantined', 'expired', 'expiring', 'active'] as const;

export type SecretKeyState = (typeof secretKeyStates)[number];

/** The states in which nodes accept a key; a quarantined one until its deadline. */
export const workingKeyStates: readonly KeyState[] = ['quarantined', 'expiring', 'active'];

/**
 * When a rotated key expires: at the end of the overlap, or at its own expiry if that is earlier.
 */
export const endAfterRotationMs = (expiresAt: string | null, overlapEndMs: number): number =>
  expiresAt === null ? overlapEndMs : Math.min(overlapEndMs, Date.parse(expiresAt));

type Moment = string | Date | null;

/**
 * Why a key can't be rotated, or null. The server decides whether an expired key can be rotated: it
 * can if it expired because of a rotation or a quarantine, but not if its vendor set the expiry.
 */
export function whyNotRotatable(key: {
  revoked_at: Moment;
  disabled_at: Moment;
}): 'revoked' | 'disabled' | null {
  if (key.revoked_at !== null) return 'revoked';
  return key.disabled_at === null ? null : 'disabled';
}
