// A key's possible states. If several apply, the key is in the first one.
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

/** The states in which nodes accept a key. A quarantined key is accepted until its deadline. */
export const workingKeyStates: readonly KeyState[] = ['quarantined', 'expiring', 'active'];

/**
 * When the old key expires after a rotation: at the end of the overlap, or earlier if it was
 * already due to expire before then.
 */
export const endAfterRotationMs = (expiresAt: string | null, overlapEndMs: number): number =>
  expiresAt === null ? overlapEndMs : Math.min(overlapEndMs, Date.parse(expiresAt));

type Moment = string | Date | null;

/**
 * Why a key can't be rotated, or null. For expired keys, the server has a further rule: they can be
 * rotated if they expired because of a rotation or a quarantine, but not if the vendor set the
 * expiry.
 */
export function whyNotRotatable(key: {
  revoked_at: Moment;
  disabled_at: Moment;
}): 'revoked' | 'disabled' | null {
  if (key.revoked_at !== null) return 'revoked';
  return key.disabled_at === null ? null : 'disabled';
}
