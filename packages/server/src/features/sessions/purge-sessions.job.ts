// Removes sessions and one-time tokens that ended a month ago, and the rows of sign-ups that made
// no account. Safe to run twice.
import { DAY_MS, HOUR_MS, msAfter } from '../../base/duration.ts';
import type { OpenWork } from '../../doors/work.ts';
import { removeVoidSignUps } from '../accounts/rows.ts';
import { removeOldSessions, removeOldTokens } from './rows.ts';

const KEPT_MS = 30 * DAY_MS;
const VOID_KEPT_MS = HOUR_MS;
const BATCH_MAX = 1000;

const purges = [
  { remove: removeOldSessions, keptMs: KEPT_MS },
  { remove: removeOldTokens, keptMs: KEPT_MS },
  { remove: removeVoidSignUps, keptMs: VOID_KEPT_MS },
];

export async function purgeSessions(work: OpenWork): Promise<void> {
  for (const { remove, keptMs } of purges) {
    const purge = () =>
      work((tx) => remove(tx, { before: msAfter(tx.now, -keptMs), limit: BATCH_MAX }));
    while ((await purge()) === BATCH_MAX);
  }
}
