// All SQL statements for imports. The keys are passed as a single JSON parameter, so a statement's
// text doesn't depend on how many there are.
import type { RateLimit } from '@keyrail/protocol/validators.ts';
import type { KeyState } from '@keyrail/protocol/wire/key-states.ts';

import { notFound } from '../../base/errors.ts';
import { sql } from '../../base/sql.ts';
import { many, maybe } from '../../db/sql.ts';
import type { Tables } from '../../db/tables.ts';
import type { Write } from '../../doors/door.ts';
import type { Env } from '../../doors/reach.ts';
import { apiKeyState } from '../credentials/key-state.ts';

export type NewImportedKey = {
  id: string;
  tenantId: string;
  lookupHash: string;
  displayPrefix: string;
  name: string | null;
  scopes: string[];
  meta: Record<string, unknown>;
  rateLimits: RateLimit[] | null;
  expiresAt: Date | null;
};

/** Locks the project against deletion until the transaction ends. */
export async function lockProjectOfKeys(tx: Write, projectId: string): Promise<void> {
  const held = await maybe(
    tx,
    sql`select id from projects where id = ${projectId} and deleted_at is null for share`,
  );
  if (!held) throw notFound('project');
}

/** Finds tenant IDs by external ID; unknown external IDs are omitted. */
export async function findTenantIds(
  tx: Write,
  externalIds: readonly string[],
): Promise<Map<string, string>> {
  // Because of the range conditions and the ordering by external ID, the planner uses the index on
  // that column, as in listTenants().
  const found = await many(
    tx,
    sql<{ externalId: string; id: string }>`
      select wanted.external_id, known.id
      from unnest(${externalIds}::text[]) as wanted (external_id)
      cross join lateral (
        select id from tenants
        where external_id >= wanted.external_id and external_id <= wanted.external_id
          and deleted_at is null
        order by external_id limit 1
      ) known`,
  );
  return new Map(found.map(({ externalId, id }) => [externalId, id]));
}

/**
 * Locks tenants against deletion until the transaction ends, and returns those that exist. The lock
 * is shared, so keys can be created concurrently.
 */
export async function lockTenantsOfKeys(
  tx: Write,
  tenantIds: readonly string[],
): Promise<Set<string>> {
  const held = await many(
    tx,
    sql<{ id: string }>`select id from tenants
      where id = any (${tenantIds}::uuid[]) and deleted_at is null order by id for share`,
  );
  return new Set(held.map(({ id }) => id));
}

type Row = Tables['apiKeys'] & { state: KeyState };

type Import = { projectId: string; env: Env; keys: readonly NewImportedKey[] };

/**
 * Returns those hashes that belong to secret keys the caller can access. They can't be imported as
 * API keys.
 */
export async function listSecretKeyHashes(
  tx: Write,
  hashes: readonly string[],
): Promise<Set<string>> {
  const wanted = hashes.map((hash) => Buffer.from(hash, 'hex'));
  const found = await many(
    tx,
    sql<{ hash: string }>`select encode(lookup_hash, 'hex') as hash from secret_keys
      where lookup_hash = any (${wanted}::bytea[])`,
  );
  return new Set(found.map(({ hash }) => hash));
}

/**
 * Inserts the keys whose hash is new, and returns them by ID. The workspace's unique index detects
 * known hashes. The statement waits for concurrent transactions that insert the same hash. Hashes
 * are inserted in order, so that two imports of the same keys cannot deadlock.
 */
export async function insertNewHashes(
  tx: Write,
  { projectId, env, keys }: Import,
): Promise<Map<string, Row>> {
  const values = keys.map((key, place) => ({
    place,
    id: key.id,
    tenant_id: key.tenantId,
    lookup_hash: key.lookupHash,
    display_prefix: key.displayPrefix,
    name: key.name,
    scopes: key.scopes,
    meta: key.meta,
    rate_limits: key.rateLimits,
    expires_at: key.expiresAt,
  }));
  const inserted = await many(
    tx,
    sql<Row>`
      insert into api_keys (id, project_id, tenant_id, env, lookup_hash, display_prefix, name,
        scopes, meta, rate_limits, expires_at, vendor_expires_at, imported, created_at)
      select id, ${projectId}::uuid, tenant_id, ${env}::env, decode(lookup_hash, 'hex'),
        display_prefix, name, scopes, meta, rate_limits, expires_at, expires_at, true,
        ${tx.now}::timestamptz
      from json_to_recordset(${JSON.stringify(values)}::json) as sent (place int, id uuid,
        tenant_id uuid, lookup_hash text, display_prefix text, name text, scopes text[], meta json,
        rate_limits json, expires_at timestamptz)
      order by lookup_hash collate "C", place
      on conflict (lookup_hash, workspace_id) do nothing
      returning *, ${apiKeyState} as state`,
  );
  return new Map(inserted.map((row) => [row.id, row]));
}
