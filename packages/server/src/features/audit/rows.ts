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

const actorIsUser = sql<boolean>`users.id =
  case audit_logs.actor_type when 'user' then audit_logs.actor_id::uuid end`;

/** What the reach can see, oldest first. */
export const listAuditRows = (
  tx: Read,
  { afterSeq, limit }: { afterSeq: number; limit: number },
): Promise<ActedRow[]> =>
  many(
    tx,
    build
      .selectFrom('auditLogs')
      .leftJoin('users', (join) => join.on(actorIsUser))
      .selectAll('auditLogs')
      .select([
        'users.email as actorEmail',
        'users.emailVerifiedAt as actorEmailVerifiedAt',
        'users.name as actorName',
      ])
      .where('auditLogs.seq', '>', afterSeq)
      .orderBy('auditLogs.seq')
      .limit(limit),
  );

/** The whole chain in order, both environments: for hashing, not for showing. */
export const listChainedRows = (
  tx: Read,
  { afterSeq, limit }: { afterSeq: number; limit: number },
): Promise<AuditRow[]> =>
  many(tx, sql<AuditRow>`select * from audit_chain_page(${afterSeq}, ${limit})`);

export const findHead = (tx: Read): Promise<{ seq: number; hash: string } | null> =>
  maybe(tx, build.selectFrom('auditHeads').select(['seq', 'hash']));
