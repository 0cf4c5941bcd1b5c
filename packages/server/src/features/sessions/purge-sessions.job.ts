// Removes sessions and one-time tokens that ended a month ago. Safe to run twice.
import { DAY_MS, msAfter } from '../../base/duration.ts';
import type { OpenWork } from '../../doors/work.ts';
import { removeOldSessions, removeOldTokens } from './rows.ts';

const KEPT_MS = 30 * DAY_MS;
const BATCH_MAX = 1000;

export async function purgeSessions(work: OpenWork): Promise<void> {
  for (const remove of [removeOldSessions, removeOldTokens]) {
    const purge = () =>
      work((tx) => remove(tx, { before: msAfter(tx.now, -KEPT_MS), limit: BATCH_MAX }));
    while ((await purge()) === BATCH_MAX);
  }
}
