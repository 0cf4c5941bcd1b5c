// What can be known about the disk of a PostgreSQL server. A login does not see its file systems,
// so the operator says how large the database may get. Beside that, a server that reports a full
// disk is believed for a while, and one that has become read-only is noticed by the probes.
import { monotonicMs } from '../base/clock.ts';
import { SECOND_MS } from '../base/duration.ts';
import type { StorageState } from '../base/storage.ts';
import type { Answer, Statement } from './database.ts';
import { sqlState } from './faults.ts';
import type { StorageGauge } from './room.ts';

/** Shares of the bound; what lies above the second is for what ends or removes things. */
const LOW_SHARE = 0.9;
const FULL_SHARE = 0.95;
const LOOK_EVERY_MS = 5 * SECOND_MS;
const DISK_FULL_BELIEVED_MS = 10 * SECOND_MS;
const DISK_FULL = '53100';

export type SizeGauge = StorageGauge & {
  /** Asked by the login itself: the size of a database is not told to every role. */
  readonly question: Statement;
  seen(answer: Answer): void;
};

/** `look` asks the question once; it may fail, and is then asked again after a while. */
export function sizeGauge(bytesMax: number | null, look: () => Promise<void>): SizeGauge {
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
      const isLow = share >= LOW_SHARE || row?.isReadOnly === true;
      known = share >= FULL_SHARE ? 'full' : isLow ? 'low' : 'ok';
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
