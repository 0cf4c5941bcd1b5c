// Estimates how full a PostgreSQL server's disk is. A database login cannot see the server's file
// systems, so the operator configures the database's maximum size. If the server reports a full
// disk, the disk is assumed to be full for ten seconds. The health probes detect a server that has
// become read-only.
import { monotonicMs } from '../base/clock.ts';
import { SECOND_MS } from '../base/duration.ts';
import type { StorageState } from '../base/storage.ts';
import type { Answer, Statement } from './database.ts';
import type { StorageGauge } from './disk-space.ts';
import { sqlState } from './faults.ts';

/**
 * Fractions of the maximum size. At FULL_SHARE and above, only revoking and deleting are allowed.
 */
const LOW_SHARE = 0.9;
const FULL_SHARE = 0.95;
const LOOK_EVERY_MS = 5 * SECOND_MS;
const DISK_FULL_BELIEVED_MS = 10 * SECOND_MS;
const DISK_FULL = '53100';

/** `share` is the fraction of the maximum size in use. */
export function stateAt(share: number): StorageState {
  if (share >= FULL_SHARE) return 'full';
  return share >= LOW_SHARE ? 'low' : 'ok';
}

type SizeGauge = StorageGauge & {
  /** Runs without switching roles, because not every role may read the database's size. */
  readonly question: Statement;
  seen(answer: Answer): void;
};

/** `look` runs the query once, and is called again after five seconds if the query fails. */
export function createSizeGauge(bytesMax: number | null, look: () => Promise<void>): SizeGauge {
  let known: StorageState = 'ok';
  let lookedAtMs = Number.NEGATIVE_INFINITY;
  let diskFullUntilMs = Number.NEGATIVE_INFINITY;

  const lookIfDue = (nowMs: number): void => {
    const isWatched = bytesMax !== null || known !== 'ok';
    if (!isWatched || nowMs - lookedAtMs < LOOK_EVERY_MS) return;
    lookedAtMs = nowMs;
    look().catch(() => {});
  };
  return {
    question: {
      text: `select ${bytesMax === null ? '0' : 'pg_database_size(current_database())'} as bytes,
        current_setting('transaction_read_only') = 'on' as is_read_only`,
      values: [],
    },
    seen({ rows: [row] }) {
      lookedAtMs = monotonicMs();
      const share = Number(row?.bytes) / (bytesMax ?? Number.POSITIVE_INFINITY);
      const state = stateAt(share);
      known = state === 'ok' && row?.isReadOnly === true ? 'low' : state;
    },
    state() {
      const nowMs = monotonicMs();
      lookIfDue(nowMs);
      return nowMs < diskFullUntilMs ? 'full' : known;
    },
    noteFault(error) {
      if (sqlState(error) === DISK_FULL) diskFullUntilMs = monotonicMs() + DISK_FULL_BELIEVED_MS;
    },
  };
}
