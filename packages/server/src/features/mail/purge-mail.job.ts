// Deletes old mail that was sent or given up. Safe to run twice: the second run finds nothing.
import { DAY_MS, msAfter } from '../../base/duration.ts';
import type { OpenWork } from '../../doors/work.ts';
import { removeOldMail } from './rows.ts';

/** Counted from when the mail was queued, so that its contents are kept for less than 30 days. */
const KEPT_MS = 29 * DAY_MS;
const BATCH_MAX = 1000;

export async function purgeMail(work: OpenWork): Promise<void> {
  const purge = () =>
    work((tx) => removeOldMail(tx, { before: msAfter(tx.now, -KEPT_MS), limit: BATCH_MAX }));
  while ((await purge()) === BATCH_MAX);
}
