// Turns rows into secret_key objects.
import type {
  CreatedSecretKey,
  RotatedSecretKey,
  SecretKey,
  SecretKeyUsage,
} from '@keyrail/protocol/objects/secret-key.ts';
import { profileOf } from '@keyrail/protocol/wire/permissions.ts';
import { wireTime } from '../../base/wire-time.ts';
import type { Minted, Rotated } from '../credentials/new-credential.ts';
import { presentLife, presentSecret } from '../credentials/present.ts';
import type { ListedSecretKey, SecretKeyRow, UsedPermission } from './rows.ts';

type Shown<Meta> = Omit<ListedSecretKey, 'meta'> & { meta: Meta };

/** In lists, `meta` stays JSON text, as read from the database. */
export const presentSecretKey = <Meta>(
  row: Shown<Meta>,
): Omit<SecretKey, 'meta'> & { meta: Meta } => ({
  object: 'secret_key',
  id: row.id,
  env: row.env,
  display_prefix: row.displayPrefix,
  name: row.name,
  state: row.state,
  meta: row.meta,
  ...presentLife(row),
  authority: row.authority,
  created_by: row.createdBy,
  permissions: row.permissions,
  profile: profileOf(row.permissions),
  project_ids: row.projectIds,
  networks: row.networks,
});

export const presentCreated = ({ row, secret }: Minted<SecretKeyRow>): CreatedSecretKey => ({
  ...presentSecretKey(row),
  ...presentSecret(secret),
});

export const presentRotated = (rotated: Rotated<SecretKeyRow>): RotatedSecretKey => ({
  ...presentCreated(rotated),
  previous_key: presentSecretKey(rotated.predecessor),
});

export const presentUsage = (id: string, uses: readonly UsedPermission[]): SecretKeyUsage => ({
  object: 'secret_key_usage',
  secret_key_id: id,
  permissions: uses.map(({ permission, lastUsedAt }) => ({
    permission,
    last_used_at: wireTime(lastUsedAt),
  })),
});
