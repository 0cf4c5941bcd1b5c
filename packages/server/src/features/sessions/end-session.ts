import { notFound } from '../../base/errors.ts';
import type { People } from '../../doors/people.ts';
import { endLiveSession } from './rows.ts';

/** Ends one of the person's own sessions. Another person's id is answered like an unknown one. */
export async function endSession(
  tx: People,
  { userId, id }: { userId: string; id: string },
): Promise<{ id: string }> {
  const ended = await endLiveSession(tx, userId, id);
  if (!ended) throw notFound('session');
  return ended;
}
