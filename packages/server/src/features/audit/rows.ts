// Every statement on the audit log. All of them read: only close_change() appends rows.
import { type Selectable, sql } from 'kysely';
import { build, many, maybe } from '../../db/sql.ts';
import type { Tables } from '../../db/tables.ts';
import type { Read } from '../../doors/door.ts';

export type AuditRow = Selectable<Tables['auditLogs']>;

/** A row with the person that acted. The fields are null if the actor was not a person. */
export type AuditRowWithActor = AuditRow & {
  actorEmail: string | null;
  actorEmailVerifiedAt: Date | null;
  actorName: string | null;
};

/**
 * Lists the rows in reach, oldest first. The page is read first, then the person of each row by id.
 * A plain join would scan all users: row level security keeps the planner from using their index
 * with the cast of `actor_id`.
 */
export const listAuditRows = (
  tx: Read,
  { afterSeq, limit }: { afterSeq: number; limit: number },
): Promise<AuditRowWithActor[]> => {
  // Repeats the row level security policy in the form that matches the index audit_logs_not_live.
  const isSeen = tx.reach.envs.includes('live') ? sql`` : sql`and (env is null or env = 'test')`;
  return many(
    tx,
    sql<AuditRowWithActor>`
      select page.*, person.email as actor_email,
        person.email_verified_at as actor_email_verified_at, person.name as actor_name
      from (
        select * from audit_logs where seq > ${afterSeq} ${isSeen} order by seq limit ${limit}
      ) page
      left join lateral (
        select email, email_verified_at, name from users
        where id = case page.actor_type when 'user' then page.actor_id::uuid end limit 1
      ) person on true
      order by page.seq`,
  );
};

/** Rows of both environments, in order. Only for hashing: they may be outside the reach. */
export const listChainedRows = (
  tx: Read,
  { afterSeq, limit }: { afterSeq: number; limit: number },
): Promise<AuditRow[]> =>
  many(tx, sql<AuditRow>`select * from audit_chain_page(${afterSeq}, ${limit})`);

export const findHead = (tx: Read): Promise<{ seq: number; hash: string } | null> =>
  maybe(tx, build.selectFrom('auditHeads').select(['seq', 'hash']));
