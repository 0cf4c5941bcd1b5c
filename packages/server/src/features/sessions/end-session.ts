import { notFound } from '../../base/errors.ts';
import type { People } from '../../doors/people.ts';
import { endLiveSession } from './rows.ts';

/**
 * Revokes one of the user's own sessions. Another user's session ID gets the same response as an
 * unknown ID.
 */
export async function endSession(
  tx: People,
  { userId, id }: { userId: string; id: string },
): Promise<{ id: string }> {
  const ended = await endLiveSession(tx, userId, id);
  if (!ended) throw notFound('session');
  return ended;
}
