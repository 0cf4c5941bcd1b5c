import { ApiError, type Detail } from '../../base/errors.ts';
import { type Change, changed, type Write } from '../../doors/door.ts';
import type { Env } from '../../doors/reach.ts';
import {
  findTenantIds,
  insertNewHashes,
  listSecretKeyHashes,
  lockProjectOfKeys,
  lockTenantsOfKeys,
  type NewImportedKey,
} from './import.rows.ts';
import type { KeyRow } from './rows.ts';

/** Exactly one of these two fields is set, and identifies the key's tenant. */
type TenantName = { tenantId?: string | undefined; tenantExternalId?: string | undefined };

type WantedKey = Omit<NewImportedKey, 'id' | 'tenantId'> & TenantName;

type WantedImport = { projectId: string; env: Env; keys: readonly WantedKey[] };

/**
 * Imports keys issued by another product, either all of them or none. The project and the tenants
 * are locked, so none of them can be deleted in the meantime. Hashes are compared only with this
 * workspace's credentials, so a caller can't find out whether a hash exists elsewhere, and no
 * workspace can block another's imports.
 */
export async function importKeys(
  tx: Write,
  { projectId, env, keys: wanted }: WantedImport,
): Promise<Change<KeyRow[]>> {
  await lockProjectOfKeys(tx, projectId);
  const keys = await withTenants(tx, wanted);
  const secrets = await listSecretKeyHashes(
    tx,
    keys.map(({ lookupHash }) => lookupHash),
  );
  const fresh = keys.filter(({ lookupHash }) => !secrets.has(lookupHash));
  const inserted = await insertNewHashes(tx, { projectId, env, keys: fresh });
  refuse('conflict', keys, ({ id }) => (inserted.has(id) ? null : 'lookup_hash'));
  return changed(
    keys.flatMap(({ id }) => inserted.get(id) ?? []).map((row) => ({ ...row, lastUsedAt: null })),
    { action: 'api_key.imported', target: projectId, payload: { env, count: keys.length } },
    { policy: [projectId] },
  );
}

/** Locks the keys' tenants, and gives each key its ID and its tenant's ID. */
async function withTenants(tx: Write, wanted: readonly WantedKey[]): Promise<NewImportedKey[]> {
  const names = new Set(wanted.flatMap(({ tenantExternalId }) => tenantExternalId ?? []));
  const byName = names.size === 0 ? new Map() : await findTenantIds(tx, [...names]);
  const idOf = ({ tenantId, tenantExternalId }: TenantName): string =>
    tenantId ?? byName.get(tenantExternalId) ?? '';
  const held = await lockTenantsOfKeys(tx, [...new Set(wanted.map(idOf).filter(Boolean))]);
  refuse('not_found', wanted, (key) => {
    if (held.has(idOf(key))) return null;
    return key.tenantId === undefined ? 'tenant_external_id' : 'tenant_id';
  });
  return wanted.map(({ tenantId, tenantExternalId, ...key }) => ({
    ...key,
    id: tx.newId(),
    tenantId: idOf({ tenantId, tenantExternalId }),
  }));
}

const MESSAGES = { conflict: 'This key already exists.', not_found: 'No such tenant.' };

/** Throws if any keys are faulty. The error details contain only their indexes and fields. */
function refuse<Key>(
  code: keyof typeof MESSAGES,
  keys: readonly Key[],
  faultyField: (key: Key) => string | null,
): void {
  const message = MESSAGES[code];
  const details = keys.flatMap((key, index): Detail[] => {
    const field = faultyField(key);
    return field === null ? [] : [{ path: `keys.${index}.${field}`, message }];
  });
  if (details.length > 0) throw new ApiError(code, message, { details });
}
