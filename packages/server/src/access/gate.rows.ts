// All SQL statements for authenticating callers. They look up what a secret key, a session or an
// embed token may currently do.
import { SESSION_IDLE_HOURS, TOUCH_INTERVAL_MS } from '@keyrail/protocol/wire/limits.ts';
import type { Permission } from '@keyrail/protocol/wire/permissions.ts';
import { constant, sql } from '../base/sql.ts';
import { listOf, many, maybe, type Runner } from '../db/sql.ts';
import type { Gate } from '../doors/gate.ts';
import type { Env, Role } from '../doors/reach.ts';
import { batchedLookUps } from './batched-lookups.ts';

/** An interval as part of the statement text, not as a parameter. */
const touchInterval = sql`${constant(TOUCH_INTERVAL_MS)} * interval '1 millisecond'`;

/** A secret key, active or not. */
export type SecretKeyFact = {
  id: string;
  workspaceId: string;
  env: Env;
  authority: 'owner' | 'admin';
  /** According to the database's clock when the key was read. */
  active: boolean;
  /** Whether the key has leaked. If so, it expires within the hour. */
  isQuarantined: boolean;
  /** Null if the key does not expire. */
  expiresInMs: number | null;
  /** Whether the recorded last use is old enough to be updated. */
  useIsStale: boolean;
  permissions: Permission[] | null;
  projectIds: string[] | null;
  networks: string[] | null;
};

/** One use of a permission by a secret key. */
export type PermissionUse = { keyId: string; workspaceId: string; permission: Permission };

/** A session, live or not. */
export type SessionFact = {
  id: string;
  userId: string;
  activeWorkspaceId: string | null;
  /**
   * The current role in the active workspace; null if there is none, or the user isn't a member of
   * it.
   */
  role: Role | null;
  /** Whether the user's email address is verified. */
  isVerified: boolean;
  live: boolean;
  seenIsStale: boolean;
};

/** An embed token's signing key, and the IDs it contains. */
type EmbedSubject = {
  kid: string;
  workspaceId: string;
  tenantId: string;
  projectId: string;
};

export type EmbedFact = { epoch: number; origins: string[]; now: Date };

export type Lookups = {
  findSecretKey(lookupHash: string): Promise<SecretKeyFact | null>;
  noteUse(fact: SecretKeyFact): Promise<void>;
  notePermissions(uses: readonly PermissionUse[]): Promise<void>;
  findSession(lookupHash: string): Promise<SessionFact | null>;
  noteSeen(fact: SessionFact): Promise<void>;
  findEmbedFact(subject: EmbedSubject): Promise<EmbedFact | null>;
};

/**
 * Call once per process, so that concurrent requests share the statements that look up keys and
 * sessions.
 */
export const createLookups = (gate: Gate): Lookups => ({
  findSecretKey: batchedLookUps((hashes) => findSecretKeys(gate.first, hashes)),
  noteUse: (fact) => noteUse(gate, fact),
  notePermissions: (uses) => notePermissions(gate, uses),
  findSession: batchedLookUps((hashes) => findSessions(gate.first, hashes)),
  noteSeen: (fact) => noteSeen(gate, fact),
  findEmbedFact: (subject) => findEmbedFact(gate, subject),
});

async function findSecretKeys(
  runner: Runner,
  hashes: readonly string[],
): Promise<Map<string, SecretKeyFact>> {
  const wanted = hashes.map((hash) => Buffer.from(hash, 'hex'));
  const rows = await many(
    runner,
    sql<SecretKeyFact & { hash: string }>`
      select k.id, k.workspace_id, k.env, k.authority, encode(k.lookup_hash, 'hex') as hash,
        k.revoked_at is null and (k.expires_at is null or k.expires_at > app_now()) as active,
        k.quarantined_at is not null as is_quarantined,
        floor(extract(epoch from k.expires_at - app_now()) * 1000)::bigint as expires_in_ms,
        coalesce(u.used_at < app_now() - ${touchInterval}, true) as use_is_stale,
        k.permissions, k.project_ids, k.networks
      from secret_keys k left join secret_key_uses u on u.secret_key_id = k.id
      where k.lookup_hash = any (${listOf('bytea', wanted)})`,
  );
  return new Map(rows.map((row) => [row.hash, row]));
}

/** Records a key's use, at most once a minute across all processes. */
async function noteUse(runner: Runner, { id, workspaceId }: SecretKeyFact): Promise<void> {
  await many(
    runner,
    sql`insert into secret_key_uses (secret_key_id, workspace_id, used_at)
      values (${id}, ${workspaceId}, app_now())
      on conflict (secret_key_id) do update set used_at = app_now()
        where secret_key_uses.used_at < app_now() - ${touchInterval}`,
  );
}

async function notePermissions(runner: Runner, uses: readonly PermissionUse[]): Promise<void> {
  await many(
    runner,
    sql`insert into secret_key_uses as known (secret_key_id, workspace_id, used_at, permissions)
      select id, workspace_id, app_now(), jsonb_object_agg(permission, app_now())
      from unnest(${uses.map(({ keyId }) => keyId)}::uuid[],
        ${uses.map(({ workspaceId }) => workspaceId)}::uuid[],
        ${uses.map(({ permission }) => permission)}::text[]) as used (id, workspace_id, permission)
      group by id, workspace_id order by id
      on conflict (secret_key_id) do update
        set permissions = coalesce(known.permissions, '{}') || excluded.permissions`,
  );
}

async function findSessions(runner: Runner, hashes: string[]): Promise<Map<string, SessionFact>> {
  const wanted = hashes.map((hash) => Buffer.from(hash, 'hex'));
  const rows = await many(
    runner,
    sql<SessionFact & { hash: string }>`
      select s.id, s.user_id, s.active_workspace_id, m.role, encode(s.lookup_hash, 'hex') as hash,
        u.email_verified_at is not null as is_verified,
        s.ended_at is null and s.expires_at > app_now() as live,
        s.last_seen_at < app_now() - ${touchInterval} as seen_is_stale
      from sessions s join users u on u.id = s.user_id
        left join memberships m on m.workspace_id = s.active_workspace_id
        and m.user_id = s.user_id and m.removed_at is null
      where s.lookup_hash = any (${listOf('bytea', wanted)})`,
  );
  return new Map(rows.map((row) => [row.hash, row]));
}

/** Extends a session, at most once a minute and never past its absolute expiry. */
async function noteSeen(runner: Runner, { id }: SessionFact): Promise<void> {
  await many(
    runner,
    sql`update sessions set last_seen_at = app_now(),
        expires_at = least(app_now() + make_interval(hours => ${SESSION_IDLE_HOURS}),
          absolute_expires_at)
      where id = ${id} and ended_at is null
        and last_seen_at < app_now() - ${touchInterval}`,
  );
}

/** Null if the signing key has expired, or the tenant or project has been deleted. */
const findEmbedFact = (
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
