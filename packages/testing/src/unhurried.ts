// Gives test requests more time in the database than the product's three seconds, because they may
// take longer on a slow machine.
import { deadlineAfter } from '@keyrail/server/base/deadline.ts';
import type { Database, Opening } from '@keyrail/server/db/database.ts';

const UNHURRIED_MS = 60_000;

/** A store that gives each statement at least a minute. */
export function unhurried(db: Database): Database {
  const later = <Waiting extends Pick<Opening, 'deadline'>>(opening: Waiting): Waiting => ({
    ...opening,
    deadline: deadlineAfter(Math.max(UNHURRIED_MS, opening.deadline.remainingMs())),
  });
  return {
    ...db,
    once: (opening, statement) => db.once(later(opening), statement),
    transaction: (opening, body) => db.transaction(later(opening), body),
    expect: (opening) => db.expect(later(opening)),
  };
}
