// Queries of the gate for the embed plane and for scanners, in one statement each.
import type { SigningPurpose } from '@keyrail/protocol/wire/signing-purposes.ts';
import { sql } from '../base/sql.ts';
import { many, maybe, type Runner } from '../db/sql.ts';

/** The signing key and the ids in an embed token. */
export type EmbedSubject = {
  kid: string;
  workspaceId: string;
  tenantId: string;
  projectId: string;
};

export type EmbedFact = { epoch: number; origins: string[]; now: Date };

/** Null if the signing key has ended, or the tenant or the project is deleted. */
export const findEmbedFact = (
  runner: Runner,
  { kid, workspaceId, tenantId, projectId }: EmbedSubject,
): Promise<EmbedFact | null> =>
  maybe(
    runner,
    sql<EmbedFact>`
      select tenant.embed_epoch as epoch, workspace.embed_origins as origins, app_now() as now
      from signing_keys signing, workspaces workspace
        join tenants tenant on tenant.workspace_id = workspace.id
        join projects project on project.workspace_id = workspace.id
      where signing.id = ${kid} and signing.purpose = 'embed_token'
        and (signing.ends_at is null or signing.ends_at > app_now())
        and workspace.id = ${workspaceId}
        and tenant.id = ${tenantId} and tenant.deleted_at is null
        and project.id = ${projectId} and project.deleted_at is null`,
  );

/** Immutable, so it may be cached. */
export type SigningKeyFact = {
  id: string;
  purpose: SigningPurpose;
  publicKey: string;
  /** Null for a key that has ended. */
  sealedPrivate: Buffer | null;
};

const PUBLISHED_KEYS_MAX = 1000;

/**
 * All published signing keys. First those of embed tokens, oldest first; then the others, newest
 * first, also ended ones of anchors and receipts, because old ones are verified too.
 */
export const findSigningKeys = (runner: Runner): Promise<SigningKeyFact[]> =>
  many(
    runner,
    sql<SigningKeyFact>`select id, purpose, public_key, sealed_private from signing_keys
      where ends_at is null or ends_at > app_now() or purpose in ('audit_anchor', 'receipt')
      order by purpose <> 'embed_token',
        case purpose when 'embed_token' then generation else -generation end
      limit ${PUBLISHED_KEYS_MAX}`,
  );

/** The id of the key that signs the policy feed now; null if there is none. */
export async function findFeedSigner(runner: Runner): Promise<string | null> {
  const found = await maybe(
    runner,
    sql<{ id: string }>`select signing.id
      from (select app_now() as now) moment cross join signing_keys signing
      where purpose = 'policy_feed' and (ends_at is null or ends_at > moment.now)
      order by signs_from > moment.now,
        case when signs_from > moment.now then signs_from end,
        signs_from desc
      limit 1`,
  );
  return found?.id ?? null;
}

/** A credential that a scanner may find. A session belongs to no workspace. */
export type LeakFact = { id: string; hash: string; isPastHarm: boolean } & (
  | { kind: 'api_key' | 'secret_key'; workspaceId: string }
  | { kind: 'session'; workspaceId: null }
);

const LOOK_UPS_PER_STATEMENT_MAX = 500;

/**
 * All credentials with one of these hashes, in any workspace and any state. Several may have the
 * same: workspaces import hashes without knowing each other. Imported keys come first, then native
 * ones, secret keys and sessions.
 */
export async function findLeaks(
  runner: Runner,
  hashes: readonly string[],
): Promise<Map<string, LeakFact[]>> {
  const found = new Map<string, LeakFact[]>();
  for (let from = 0; from < hashes.length; from += LOOK_UPS_PER_STATEMENT_MAX) {
    const wanted = hashes
      .slice(from, from + LOOK_UPS_PER_STATEMENT_MAX)
      .map((hash) => Buffer.from(hash, 'hex'));
    const rows = await many(
      runner,
      sql<LeakFact>`
        select 'api_key' as kind, id, workspace_id, encode(lookup_hash, 'hex') as hash,
          coalesce(revoked_at, quarantined_at) is not null as is_past_harm,
          case when imported then 1 else 2 end as place
        from api_keys where lookup_hash = any (${wanted}::bytea[])
        union all
        select 'secret_key', id, workspace_id, encode(lookup_hash, 'hex'),
          coalesce(revoked_at, quarantined_at) is not null, 3
        from secret_keys where lookup_hash = any (${wanted}::bytea[])
        union all
        select 'session', id, null, encode(lookup_hash, 'hex'), ended_at is not null, 4
        from sessions where lookup_hash = any (${wanted}::bytea[])
        order by place, id`,
    );
    for (const row of rows) found.set(row.hash, [...(found.get(row.hash) ?? []), row]);
  }
  return found;
}
