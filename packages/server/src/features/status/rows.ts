// Metrics for the whole deployment: what is waiting in the queues, how far behind nodes are, and
// whether a worker is running. Counting stops at FIGURE_MAX, so that a long queue doesn't slow down
// these statements.
import { constant, named, sql } from '../../base/sql.ts';
import { one, type Runner } from '../../db/sql.ts';
import type { DeploymentFigures } from '../../observe/deployment-facts.ts';

const FIGURE_MAX = 2000;
const ENDPOINTS_MAX = 500;
/** Nodes not seen for longer than this count as silent, not behind. */
const NODE_SEEN_SECONDS = 100;

const max = constant(FIGURE_MAX);

const overdue = (dueAt: string) =>
  sql`greatest(0, extract(epoch from (select app_now()) - ${named(dueAt)}))::float8`;

/** Counts the nodes seen longest ago first, because they are the most likely to be behind. */
const figures = sql<DeploymentFigures>`
  with recursive waiting (endpoint_id, place) as (
    (select endpoint_id, 1 from webhook_deliveries where state = 'pending'
      order by endpoint_id limit 1)
    union all
    select (select d.endpoint_id from webhook_deliveries d
        where d.state = 'pending' and d.endpoint_id > w.endpoint_id
        order by d.endpoint_id limit 1), w.place + 1
      from waiting w where w.endpoint_id is not null and w.place < ${constant(ENDPOINTS_MAX)}),
  lagging as (
    select (select c.changed_at from policy_changes c
        where c.project_id = n.project_id and c.version > n.acked_version
        order by c.version limit 1) as since
      from (select project_id, acked_version from policy_nodes
        where last_seen_at >
          (select app_now() - ${constant(NODE_SEEN_SECONDS)} * interval '1 second')
        order by last_seen_at limit ${max}) n)
  select
    (select count(*)::int from (select 1 from mail_outbox
      where sent_at is null and failed_at is null limit ${max}) q) as mail_queued,
    coalesce((select ${overdue('due_at')} from mail_outbox
      where sent_at is null and failed_at is null order by due_at limit 1), 0)
      as mail_overdue_seconds,
    (select count(*)::int from (select 1 from webhook_deliveries
      where state = 'pending' limit ${max}) q) as webhooks_queued,
    coalesce((select max(first.seconds) from waiting w cross join lateral (
        select (select ${overdue('d.due_at')} from webhook_deliveries d
          where d.endpoint_id = e.id and d.state = 'pending' order by d.due_at limit 1) as seconds
        from webhook_endpoints e where e.id = w.endpoint_id
          and e.disabled_at is null and e.deleted_at is null limit 1) first), 0)
      as webhooks_overdue_seconds,
    (select count(*)::int from lagging where since is null) as nodes_current,
    (select count(*)::int from lagging where since is not null) as nodes_behind,
    coalesce((select max(${overdue('since')}) from lagging), 0) as nodes_lag_seconds`;

export const findDeploymentFigures = (runner: Runner): Promise<DeploymentFigures> =>
  one(runner, figures);

/**
 * Whether a worker was seen recently; null if none has ever been seen. A heartbeat in the future
 * was written before the clock was set back, so its worker may have stopped since.
 */
export async function workerIsSeen(runner: Runner): Promise<boolean | null> {
  const { seen } = await one(
    runner,
    sql<{ seen: boolean | null }>`
      select bool_or(seen_at > app_now() - interval '30 seconds' and seen_at <= app_now()) as seen
      from worker_beats`,
  );
  return seen;
}
