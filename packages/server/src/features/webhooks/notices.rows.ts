// All SQL statements for the job that queues notices.
import { sql } from '../../base/sql.ts';
import { many, maybe } from '../../db/sql.ts';
import type { Env } from '../../doors/reach.ts';
import type { Work } from '../../doors/work.ts';

/** Returns the time up to which notices have been queued; null before the first run. */
export async function findMark(tx: Work, kind: string): Promise<Date | null> {
  const row = await maybe(
    tx,
    sql<{ until: Date }>`select until from notice_marks where kind = ${kind}`,
  );
  return row?.until ?? null;
}

export async function updateMark(tx: Work, kind: string, until: Date): Promise<void> {
  await many(
    tx,
    sql`insert into notice_marks (kind, until) values (${kind}, ${until})
      on conflict (kind) do update set until = excluded.until`,
  );
}

export type Notice = {
  /** Identifies the event that the notice is about. Only one notice is queued for each event. */
  event: string;
  type: string;
  env: Env;
  data: Record<string, unknown>;
};

/** Queues notices for the endpoints in the transaction's workspace. */
export async function insertNotices(tx: Work, notices: readonly Notice[]): Promise<void> {
  await many(
    tx,
    sql`select queue_event(n.event, n.type, n.env, null, n.data)
      from json_to_recordset(${JSON.stringify(notices)}::json)
        as n (event text, type text, env env, data json)`,
  );
}

/** Lists the workspaces with an endpoint that receives events, in ID order. */
export async function listListening(
  tx: Work,
  { after, limit }: { after: string; limit: number },
): Promise<string[]> {
  const rows = await many(
    tx,
    sql<{ workspaceId: string }>`select workspace_id from audit_heads
      where listens and workspace_id > ${after} order by workspace_id limit ${limit}`,
  );
  return rows.map(({ workspaceId }) => workspaceId);
}
