// Turns rows into tenant objects.
import type {
  DeletedTenant as DeletedBody,
  EmbedTokensRevoked,
  Tenant,
} from '@keyrail/protocol/objects/tenant.ts';
import { wireTime } from '../../base/wire-time.ts';
import type { DeletedTenant } from './delete-tenant.ts';
import type { ListedTenant, TenantRow } from './rows.ts';

type Shown<Meta> = Omit<ListedTenant, 'meta'> & { meta: Meta };

/** In lists, `meta` is passed on as JSON text from the database. */
export const presentTenant = <Meta>(row: Shown<Meta>): Omit<Tenant, 'meta'> & { meta: Meta } => ({
  object: 'tenant',
  id: row.id,
  external_id: row.externalId,
  name: row.name,
  meta: row.meta,
  embed_epoch: row.embedEpoch,
  created_at: wireTime(row.createdAt),
  updated_at: wireTime(row.updatedAt),
});

export const presentDeleted = ({ id, revokedKeys }: DeletedTenant): DeletedBody => ({
  object: 'tenant',
  id,
  deleted: true,
  revoked_keys: revokedKeys,
});

export const presentEmbedTokensRevoked = ({ id, embedEpoch }: TenantRow): EmbedTokensRevoked => ({
  object: 'tenant',
  id,
  embed_epoch: embedEpoch,
  embed_tokens_revoked: true,
});
