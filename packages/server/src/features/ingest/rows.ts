// All SQL statements that record telemetry. Each is a separate transaction, so a charge remains
// even if the batch is then rejected, and a batch is added to all totals or to none.
import { sql } from '../../base/sql.ts';
import { many, maybe, one } from '../../db/sql.ts';
import type { Read } from '../../doors/door.ts';
import type { Env } from '../../doors/reach.ts';
import type { NamedIds, UnknownId } from './named-ids.ts';
import type { Tallies } from './tallies.ts';

export type Charge = {
  allowed: boolean;
  /** Events charged in this minute, including this charge if it was allowed. */
  charged: number;
  resetMs: number;
  /** The time of the charge, according to the database's clock. */
  moment: Date;
};

/**
 * Charges the current minute's budget, unless the remaining budget doesn't cover the whole cost.
 */
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

/** The receipt for a batch that has an ID. */
export type NamedReceipt = Receipt & { batchId: string };

type Usage = { named: readonly NamedReceipt[]; tallies: Tallies; tenantMonthsMax: number };

/**
 * Adds batches to the usage totals, and stores receipts for the batches with an ID. Returns false,
 * and records nothing, if any batch is a duplicate.
 */
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

/** Returns the receipt that was stored when a batch with this ID was first recorded. */
export const findReceipt = (tx: Read, batchId: string): Promise<Receipt | null> =>
  maybe(
    tx,
    sql<Receipt>`select accepted, events_dropped from ingest_batches
      where batch_id = ${batchId} and env = ${senderEnv(tx)}`,
  );

/**
 * The environment of the secret key that sent the batch. A live key can also send events from the
 * test environment.
 */
const senderEnv = ({ reach }: Read): Env => (reach.envs.includes('live') ? 'live' : 'test');

/** Converts names to snake_case, because that is what the SQL function reads. */
const jsonOf = (rows: readonly object[]): string =>
  JSON.stringify(rows.map((row) => Object.fromEntries(Object.entries(row).map(snakeCased))));

const snakeCased = ([name, value]: [string, unknown]): [string, unknown] => [
  name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
  value,
];
