// Every statement by which telemetry is taken in. Each is one step and one trip of its own: the
// charge stays when what follows is refused, and a batch is added to all sums or to none.
import { sql } from 'kysely';
import { many, one } from '../../db/sql.ts';
import type { Read } from '../../doors/door.ts';
import type { Env } from '../../doors/reach.ts';
import type { Charge } from './budget.ts';
import type { NamedIds, UnknownId } from './named-ids.ts';
import type { Tallies } from './tallies.ts';

/** Charges the current minute, or says that it does not hold so much more. */
export const updateBudget = (
  tx: Read,
  { cost, eventsPerMinute }: { cost: number; eventsPerMinute: number },
): Promise<Charge> =>
  one(
    tx,
    sql<Charge>`select allowed, charged, reset_ms, moment
      from charge_ingest(${cost}, ${eventsPerMinute})`,
  );

export const listUnknown = (
  tx: Read,
  { projects, tenants, keys }: NamedIds,
): Promise<UnknownId[]> =>
  many(
    tx,
    sql<UnknownId>`select kind, id, is_beyond from unknown_ids(${[...projects.keys()]},
      ${[...tenants.keys()]}, ${[...keys.keys()]})`,
  );

export type Receipt = { accepted: number; eventsDropped: number };

/** The receipt of this batch, or of the first one that bore its id. */
export const insertUsage = (
  tx: Read,
  receipt: Receipt & { batchId: string | null; senderEnv: Env },
  tallies: Tallies,
): Promise<Receipt> =>
  one(
    tx,
    sql<Receipt>`select accepted, events_dropped from record_usage(
      ${receipt.batchId}, ${receipt.senderEnv}, ${receipt.accepted}, ${receipt.eventsDropped},
      ${jsonOf(tallies.keyDays.map(keyDay))}, ${jsonOf(tallies.tenantMonths.map(tenantMonth))},
      ${jsonOf(tallies.hours.map(hour))}, ${jsonOf(tallies.denials.map(hourPlace))})`,
  );

const jsonOf = (rows: readonly object[]): string => JSON.stringify(rows);

const keyDay = ({ keyId, day, requests, errors, lastAt }: Tallies['keyDays'][number]) => ({
  key_id: keyId,
  day,
  requests,
  errors,
  last_at: lastAt,
});

const tenantMonth = (row: Tallies['tenantMonths'][number]) => ({
  tenant_id: row.tenantId,
  project_id: row.projectId,
  env: row.env,
  month: row.month,
  request_count: row.requestCount,
  first_seen_at: row.firstSeenAt,
  last_seen_at: row.lastSeenAt,
});

const hourPlace = <Row extends { projectId: string }>({ projectId, ...rest }: Row) => ({
  project_id: projectId,
  ...rest,
});

const hour = hourPlace<Tallies['hours'][number]>;
