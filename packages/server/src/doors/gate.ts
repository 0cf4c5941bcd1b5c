// The gate: queries that run before a request has a reach. Its database role sees no other rows.
import { SESSION_IDLE_HOURS, TOUCH_INTERVAL_MS } from '@keyrail/protocol/wire/limits.ts';
import type { Deadline } from '../base/deadline.ts';
import { deadlineAfter } from '../base/deadline.ts';
import { constant, sql } from '../base/sql.ts';
import type { Database, Opening } from '../db/database.ts';
import { listOf, many, one, type Runner } from '../db/sql.ts';
import { type BackupFacts, findBackupFacts } from './backup-facts.ts';
import { batchedLookUps } from './batched-lookups.ts';
import type { PolicyVersion } from './door.ts';
import {
  type EmbedFact,
  type EmbedSubject,
  findEmbedFact,
  findFeedSigner,
  findLeaks,
  findSigningKeys,
  type LeakFact,
  type SigningKeyFact,
} from './gate-queries.ts';
import { allEnvs, type Env, type Role } from './reach.ts';
import { noteServed, removeOldSpans, type ServedSpan } from './served-spans.ts';

const GATE_TIMEOUT_MS = 3000;

/** In the text of the statements, as a constant. */
const touchInterval = sql`${constant(TOUCH_INTERVAL_MS)} * interval '1 millisecond'`;

/** A secret key, active or not. */
export type SecretKeyFact = {
  id: string;
  workspaceId: string;
  env: Env;
  authority: 'owner' | 'admin';
  /** By the database's clock at the time of the read. */
  active: boolean;
  /** Found in public; the key ends within the hour. */
  isQuarantined: boolean;
  /** Null if the key does not expire. */
  expiresInMs: number | null;
  /** True if the recorded last use is old enough to be updated. */
  useIsStale: boolean;
};

/** A session, live or not. */
export type SessionFact = {
  id: string;
  userId: string;
  activeWorkspaceId: string | null;
  /** The current role in the active workspace; null without a workspace or a membership. */
  role: Role | null;
  /** The person's e-mail address is verified. */
  isVerified: boolean;
  live: boolean;
  seenIsStale: boolean;
};

export type Gate = {
  findSecretKey(lookupHash: string): Promise<SecretKeyFact | null>;
  noteUse(fact: SecretKeyFact): Promise<void>;
  findSession(lookupHash: string): Promise<SessionFact | null>;
  noteSeen(fact: SessionFact): Promise<void>;
  findEmbedFact(subject: EmbedSubject): Promise<EmbedFact | null>;
  findSigningKeys(): Promise<SigningKeyFact[]>;
  /** The id of the key that signs the policy feed now; null if there is none. */
  findFeedSigner(): Promise<string | null>;
  /** Credentials by the hashes of strings that were found in public. */
  findLeaks(hashes: readonly string[]): Promise<Map<string, LeakFact[]>>;
  /** The policy versions of these projects; unknown projects are omitted. */
  findVersions(projectIds: readonly string[]): Promise<PolicyVersion[]>;
  /** Sends notifications to all processes that listen on the channel. */
  notifyAll(channel: string, messages: readonly string[]): Promise<void>;
  /** Whether a worker was seen recently; null if none was ever seen. */
  workerIsSeen(): Promise<boolean | null>;
  /** The newest backups and restore tests. */
  findBackupFacts(): Promise<BackupFacts>;
  /** Records that this process has served since its last note; returns the time of this note. */
  noteServed(span: ServedSpan): Promise<Date>;
  removeOldSpans(): Promise<void>;
};

export function openGate(db: Database): Gate {
  const runner = (deadline: Deadline): Runner => ({
    run: (statement) => db.once(opening(deadline), statement),
  });
  const patient = () => runner(deadlineAfter(GATE_TIMEOUT_MS));
  // Every request waits for one of these queries first, and many requests share one.
  const first = (): Runner => ({
    run: (statement) =>
      db.once({ ...opening(deadlineAfter(GATE_TIMEOUT_MS)), goesFirst: true }, statement),
  });
  return {
    findSecretKey: batchedLookUps((hashes) => findSecretKeys(first(), hashes)),
    noteUse: (fact) => noteUse(patient(), fact),
    findSession: batchedLookUps((hashes) => findSessions(first(), hashes)),
    noteSeen: (fact) => noteSeen(patient(), fact),
    findEmbedFact: (subject) => findEmbedFact(patient(), subject),
    findSigningKeys: () => findSigningKeys(patient()),
    findFeedSigner: () => findFeedSigner(patient()),
    findLeaks: (hashes) => findLeaks(patient(), hashes),
    findVersions: (ids) => findVersions(patient(), ids),
    notifyAll: (channel, messages) => notifyAll(patient(), channel, messages),
    workerIsSeen: () => workerIsSeen(patient()),
    findBackupFacts: () => findBackupFacts(patient()),
    noteServed: (span) => noteServed(patient(), span),
    removeOldSpans: () => removeOldSpans(patient()),
  };
}

const opening = (deadline: Deadline): Opening => ({
  role: 'kr_gate',
  scope: { workspaceId: null, envs: allEnvs },
  deadline,
  // The gate updates single rows that exist already. Sign-ins and revocations depend on it, so it
  // keeps writing when the disk is nearly full.
  storage: 'reserve',
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
        coalesce(u.used_at < app_now() - ${touchInterval}, true) as use_is_stale
      from secret_keys k left join secret_key_uses u on u.secret_key_id = k.id
      where k.lookup_hash = any (${listOf('bytea', wanted)})`,
  );
  return new Map(rows.map((row) => [row.hash, row]));
}

/** Writes at most once a minute per key, across all processes. */
async function noteUse(runner: Runner, { id, workspaceId }: SecretKeyFact): Promise<void> {
  await many(
    runner,
    sql`insert into secret_key_uses (secret_key_id, workspace_id, used_at)
      values (${id}, ${workspaceId}, app_now())
      on conflict (secret_key_id) do update set used_at = app_now()
        where secret_key_uses.used_at < app_now() - ${touchInterval}`,
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

/** Extends the expiry, at most once a minute and never past the absolute expiry. */
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

/** A beat in the future was written before the clock was set back: its worker may be gone. */
async function workerIsSeen(runner: Runner): Promise<boolean | null> {
  const { seen } = await one(
    runner,
    sql<{ seen: boolean | null }>`
      select bool_or(seen_at > app_now() - interval '30 seconds' and seen_at <= app_now()) as seen
      from worker_beats`,
  );
  return seen;
}

const findVersions = (runner: Runner, projectIds: readonly string[]): Promise<PolicyVersion[]> =>
  many(
    runner,
    sql<PolicyVersion>`select project_id, version from project_versions
      where project_id = any (${projectIds}::uuid[])`,
  );

async function notifyAll(
  runner: Runner,
  channel: string,
  messages: readonly string[],
): Promise<void> {
  await many(
    runner,
    sql`select pg_notify(${channel}, message) from unnest(${messages}::text[]) as notification (message)`,
  );
}
