// Removes mail of weeks ago that was sent or given up. Safe to run twice: what is gone is gone.
import { DAY_MS, msAfter } from '../../base/duration.ts';
import type { OpenWork } from '../../doors/work.ts';
import { removeOldMail } from './rows.ts';

/** From when it was queued, however late it was sent: nothing that it says is kept for thirty. */
const KEPT_MS = 29 * DAY_MS;
const BATCH_MAX = 1000;

export async function purgeMail(work: OpenWork): Promise<void> {
  const purge = () =>
    work((tx) => removeOldMail(tx, { before: msAfter(tx.now, -KEPT_MS), limit: BATCH_MAX }));
  while ((await purge()) === BATCH_MAX);
}
