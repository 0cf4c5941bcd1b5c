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
