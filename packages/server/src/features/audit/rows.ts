// All SQL statements for the audit log. None of them writes: only close_change() appends rows.
import { allOf, type Sql, sql } from '../../base/sql.ts';
import { many, maybe, one } from '../../db/sql.ts';
import type { Tables } from '../../db/tables.ts';
import type { Read } from '../../doors/door.ts';

export type AuditRow = Tables['auditLogs'];

/** A row with the acting user. The user's fields are null if the actor wasn't a user. */
export type AuditRowWithActor = AuditRow & {
  actorEmail: string | null;
  actorEmailVerifiedAt: Date | null;
  actorName: string | null;
};

export type AuditFilter = {
  actorId?: string | undefined;
  targetId?: string | undefined;
  /** Lists rows with any of these actions; undefined for all actions. */
  actions?: readonly string[] | undefined;
};

type AuditList = {
  filter: AuditFilter;
  /** Exclusive bounds on row numbers. */
  afterSeq: number;
  beforeSeq: number;
  order: 'asc' | 'desc';
  limit: number;
};

/**
 * The acting user's ID, computed as a column of the page, so that PostgreSQL reads the page before
 * looking up users.
 */
const personId = sql`case page.actor_type when 'user' then page.actor_id::uuid end as person_id`;

/**
 * The user who made the change. The ID is compared with a column of the page, because with
 * row-level security PostgreSQL wouldn't use the index on users for a comparison with a cast.
 */
const person = sql`lateral (
  select email, email_verified_at, name from users where id = page.person_id limit 1
) person`;

/**
 * Lists the rows that the caller can access. The page is read first; then each row's user is looked
 * up by ID.
 */
export const listAuditRows = (tx: Read, wanted: AuditList): Promise<AuditRowWithActor[]> => {
  const order = orderOf(wanted);
  return many(
    tx,
    sql<AuditRowWithActor>`
      select page.*, person.email as actor_email,
        person.email_verified_at as actor_email_verified_at, person.name as actor_name
      from (
        select page.*, ${personId} from (
          ${isFiltered(wanted.filter) ? filteredPage(tx, wanted) : wholePage(tx, wanted)}
        ) page order by seq ${order} limit ${wanted.limit}
      ) page left join ${person} on true
      order by page.seq ${order}`,
  );
};

/** Finds one row that the caller can access, with the acting user. */
export const findAuditRow = (tx: Read, id: string): Promise<AuditRowWithActor | null> =>
  maybe(
    tx,
    sql<AuditRowWithActor>`
      select page.*, person.email as actor_email,
        person.email_verified_at as actor_email_verified_at, person.name as actor_name
      from (select page.*, ${personId} from audit_logs page where id = ${id} limit 1) page
      left join ${person} on true`,
  );

const orderOf = ({ order }: AuditList) => (order === 'asc' ? sql`asc` : sql`desc`);

const isFiltered = ({ actorId, targetId, actions }: AuditFilter): boolean =>
  actorId !== undefined || targetId !== undefined || actions !== undefined;

function wholePage(tx: Read, { afterSeq, beforeSeq }: AuditList): Sql {
  // Repeats a condition of the row-level security policy, so that PostgreSQL can use the index
  // audit_logs_not_live.
  const isSeen = tx.reach.envs.includes('live') ? sql`` : sql`and (env is null or env = 'test')`;
  return sql`select * from audit_logs
    where seq > ${afterSeq} and seq < ${beforeSeq} ${isSeen}`;
}

/**
 * Reads each action's first rows from an index, separately for live and other rows. The index
 * covers all conditions, so no other rows are read.
 */
function filteredPage(tx: Read, wanted: AuditList): Sql {
  const { filter, afterSeq, beforeSeq, limit } = wanted;
  const { actorId, targetId, actions } = filter;
  const lives = tx.reach.envs.includes('live') ? [false, true] : [false];
  const conditions = [
    sql`is_live = covered.is_live`,
    sql`seq::float8 > ${afterSeq}::float8 and seq::float8 < ${beforeSeq}::float8`,
    ...(actions === undefined ? [] : [sql`action = covered.action`]),
    ...(actorId === undefined ? [] : [sql`actor_id = ${actorId}`]),
    ...(targetId === undefined ? [] : [sql`target_id = ${targetId}`]),
  ];
  const covered =
    actions === undefined
      ? sql`unnest(${lives}::boolean[]) as covered (is_live)`
      : sql`(select is_live, action from unnest(${lives}::boolean[]) as is_live,
          unnest(${actions}::text[]) as action) covered`;
  return sql`select first.* from ${covered} cross join lateral (
      select * from audit_logs where ${allOf(conditions)}
      order by seq::float8 ${orderOf(wanted)} limit ${limit}
    ) first`;
}

/**
 * For each of two times, finds the number of the first row at or after it. If a time is null, so is
 * its result.
 */
export const findSeqsAt = (
  tx: Read,
  moments: { from: Date | null; to: Date | null },
): Promise<{ from: number | null; to: number | null }> =>
  one(
    tx,
    sql<{ from: number | null; to: number | null }>`
      select case when ${moments.from}::timestamptz is not null
          then audit_seq_at(${moments.from}) end as "from",
        case when ${moments.to}::timestamptz is not null then audit_seq_at(${moments.to}) end as "to"`,
  );

/** Reads a chain's head and its rows for a verifier. */
export type ChainSource = {
  head(): Promise<{ seq: number; hash: string } | null>;
  page(wanted: { afterSeq: number; limit: number }): Promise<AuditRow[]>;
};

/**
 * Returns rows in both environments, in order. Use them only for hashing, because the caller may
 * not be allowed to see all of them.
 */
export const chainIn = (tx: Read): ChainSource => ({
  head: () => maybe(tx, sql<{ seq: number; hash: string }>`select seq, hash from audit_heads`),
  page: ({ afterSeq, limit }) =>
    many(tx, sql<AuditRow>`select * from audit_chain_page(${afterSeq}, ${limit})`),
});
