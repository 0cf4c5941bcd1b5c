// Every statement by which telemetry is taken in. Each is one step and one trip of its own: the
// charge stays when what follows is refused, and a batch is added to all sums or to none.
import { sql } from 'kysely';
import { many, maybe, one } from '../../db/sql.ts';
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

export type Named = Receipt & { batchId: string };

export type Usage = { named: readonly Named[]; tallies: Tallies; tenantMonthsMax: number };

/** Adds up batches, keeping the receipts of those with an id; false when one was here before. */
export async function insertUsage(
  tx: Read,
  { named, tallies: { keyDays, tenantMonths, hours, denials }, tenantMonthsMax }: Usage,
): Promise<boolean> {
  const { done } = await one(
    tx,
    sql<{ done: boolean }>`select record_usage_within(${tenantMonthsMax},
      ${named.map(({ batchId }) => batchId)}, ${senderEnv(tx)},
      ${named.map(({ accepted }) => accepted)}, ${named.map(({ eventsDropped }) => eventsDropped)},
      ${keyDays.map(({ keyId }) => keyId)}, ${keyDays.map(({ day }) => day)},
      ${keyDays.map(({ requests }) => requests)}, ${keyDays.map(({ errors }) => errors)},
      ${keyDays.map(({ lastMs }) => lastMs)},
      ${jsonOf(tenantMonths)}, ${jsonOf(hours)}, ${jsonOf(denials)}) as done`,
  );
  return done;
}

/** What was answered to the first batch that bore this id. */
export const findReceipt = (tx: Read, batchId: string): Promise<Receipt | null> =>
  maybe(
    tx,
    sql<Receipt>`select accepted, events_dropped from ingest_batches
      where batch_id = ${batchId} and env = ${senderEnv(tx)}`,
  );

/** The environment of the key that sends, which may tell of both when it is live. */
const senderEnv = ({ reach }: Read): Env => (reach.envs.includes('live') ? 'live' : 'test');

/** Members get the names that the function reads them by. */
const jsonOf = (rows: readonly object[]): string =>
  JSON.stringify(rows.map((row) => Object.fromEntries(Object.entries(row).map(snakeCased))));

const snakeCased = ([name, value]: [string, unknown]): [string, unknown] => [
  name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
  value,
];
