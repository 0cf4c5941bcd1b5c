// The read door: a role that can only select, and one round trip for each statement.
import type { Deadline } from '../base/deadline.ts';
import type { Database } from '../db/database.ts';
import type { Read } from './door.ts';
import { type Reach, scopeOf } from './reach.ts';

export const openRead = (db: Database, reach: Reach, deadline: Deadline): Read => ({
  reach,
  run: (statement) => db.once({ role: 'kr_read', scope: scopeOf(reach), deadline }, statement),
});
