// Removes mail that was sent or given up some weeks ago. Safe to run twice: what is gone is gone.
import { DAY_MS, msAfter } from '../../base/duration.ts';
import type { OpenWork } from '../../doors/work.ts';
import { removeOldMail } from './rows.ts';

/** With the three days of trying, nothing that a letter says is kept for thirty days. */
const KEPT_MS = 26 * DAY_MS;
const BATCH_MAX = 1000;

export async function purgeMail(work: OpenWork): Promise<void> {
  const purge = () =>
    work((tx) => removeOldMail(tx, { before: msAfter(tx.now, -KEPT_MS), limit: BATCH_MAX }));
  while ((await purge()) === BATCH_MAX);
}
