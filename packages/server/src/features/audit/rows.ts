// Every statement on the audit log. There is no writing one: close_change() alone appends.
import { type Selectable, sql } from 'kysely';
import { build, many, maybe } from '../../db/sql.ts';
import type { Tables } from '../../db/tables.ts';
import type { Read } from '../../doors/door.ts';

export type AuditRow = Selectable<Tables['auditLogs']>;

/** A row with the person who acted, where it was one; all null where it was not. */
export type ActedRow = AuditRow & {
  actorEmail: string | null;
  actorEmailVerifiedAt: Date | null;
  actorName: string | null;
};

/**
 * What the reach can see, oldest first. The page is read first, and the person of each of its rows
 * then, by id: as a plain join all people would be read, because row level security keeps the cast
 * of `actor_id` away from the index on people.
 */
export const listAuditRows = (
  tx: Read,
  { afterSeq, limit }: { afterSeq: number; limit: number },
): Promise<ActedRow[]> => {
  // In the words of the index audit_logs_not_live; row level security says the same in others.
  const isSeen = tx.reach.envs.includes('live') ? sql`` : sql`and (env is null or env = 'test')`;
  return many(
    tx,
    sql<ActedRow>`
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

/** The whole chain in order, both environments: for hashing, not for showing. */
export const listChainedRows = (
  tx: Read,
  { afterSeq, limit }: { afterSeq: number; limit: number },
): Promise<AuditRow[]> =>
  many(tx, sql<AuditRow>`select * from audit_chain_page(${afterSeq}, ${limit})`);

export const findHead = (tx: Read): Promise<{ seq: number; hash: string } | null> =>
  maybe(tx, build.selectFrom('auditHeads').select(['seq', 'hash']));
