// The read door: its role can only select, and each statement is one round trip.
import type { Deadline } from '../base/deadline.ts';
import type { Database } from '../db/database.ts';
import type { Read } from './door.ts';
import { type Reach, scopeOf } from './reach.ts';

export const openRead = (db: Database, reach: Reach, deadline: Deadline): Read => ({
  reach,
  run: (statement) => db.once({ role: 'kr_read', scope: scopeOf(reach), deadline }, statement),
});
