// Rows → secret_key objects. The only file of this feature that reveals a secret.
import type {
  CreatedSecretKey as CreatedBody,
  RotatedSecretKey as RotatedBody,
  SecretKey,
} from '@keyrail/protocol/objects/secret-key.ts';
import { wireTime, wireTimeOrNull } from '../../base/wire-time.ts';
import type { MintedSecretKey } from './material.ts';
import type { RotatedSecretKey } from './rotate-secret-key.ts';
import type { ListedSecretKey } from './rows.ts';

type Shown<Meta> = Omit<ListedSecretKey, 'meta'> & { meta: Meta };

/** In lists, `meta` is passed on as the database's JSON text. */
export const presentSecretKey = <Meta>(
  row: Shown<Meta>,
): Omit<SecretKey, 'meta'> & { meta: Meta } => ({
  object: 'secret_key',
  id: row.id,
  env: row.env,
  display_prefix: row.displayPrefix,
  name: row.name,
  meta: row.meta,
  expires_at: wireTimeOrNull(row.expiresAt),
  revoked_at: wireTimeOrNull(row.revokedAt),
  revoked_reason: row.revokedReason,
  quarantined_at: wireTimeOrNull(row.quarantinedAt),
  quarantine_reason: row.quarantineReason,
  rotated_from: row.rotatedFrom,
  created_at: wireTime(row.createdAt),
  last_used_at: wireTimeOrNull(row.lastUsedAt),
});

export const presentCreated = ({ row, secret }: MintedSecretKey): CreatedBody => ({
  ...presentSecretKey(row),
  key: secret.reveal(),
  key_shown_once: true,
});

export const presentRotated = (rotated: RotatedSecretKey): RotatedBody => ({
  ...presentCreated(rotated),
  previous_key: presentSecretKey(rotated.predecessor),
});
