import { notFound } from '../../base/errors.ts';
import type { People } from '../../doors/people.ts';
import { endLiveSession } from './rows.ts';

/** Ends one of a person's own sessions; anyone else's is as unknown as one that never was. */
export async function endSession(
  tx: People,
  { userId, id }: { userId: string; id: string },
): Promise<{ id: string }> {
  const ended = await endLiveSession(tx, userId, id);
  if (!ended) throw notFound('session');
  return ended;
}
