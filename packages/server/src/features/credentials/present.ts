// The wire fields that API keys and secret keys share. Only this file reveals their secrets.
import type { Secret } from '../../base/secret.ts';
import { wireTime, wireTimeOrNull } from '../../base/wire-time.ts';

type Life = {
  expiresAt: Date | null;
  revokedAt: Date | null;
  revokedReason: string | null;
  quarantinedAt: Date | null;
  quarantineReason: string | null;
  rotatedFrom: string | null;
  createdAt: Date;
  lastUsedAt: Date | null;
};

export const presentLife = (row: Life) => ({
  expires_at: wireTimeOrNull(row.expiresAt),
  revoked_at: wireTimeOrNull(row.revokedAt),
  revoked_reason: row.revokedReason,
  quarantined_at: wireTimeOrNull(row.quarantinedAt),
  quarantine_reason: row.quarantineReason,
  rotated_from: row.rotatedFrom,
  created_at: wireTime(row.createdAt),
  last_used_at: wireTimeOrNull(row.lastUsedAt),
});

/** The secret is withheld from responses that are stored for replays. */
export const presentSecret = (secret: Secret): { key?: string; key_shown_once: boolean } =>
  secret.isWithheld ? { key_shown_once: false } : { key: secret.reveal(), key_shown_once: true };
