// Turns a session into a principal. The user's membership is read on every request, so removing the
// user or changing the role takes effect on the next one.
import { lookupHash, parseCredential } from '@keyrail/protocol/wire/key-format.ts';
import { ApiError } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import { allEnvs, type Reach } from '../doors/reach.ts';
import type { Lookups, SessionFact } from './gate.rows.ts';
import type { Principal } from './principal.ts';

type SessionParts = { lookups: Pick<Lookups, 'findSession' | 'noteSeen'>; log: Log };

export async function sessionPrincipal(
  { lookups, log }: SessionParts,
  token: string,
): Promise<Principal> {
  const fact = parseCredential(token) ? await lookups.findSession(lookupHash(token)) : null;
  if (!fact?.live) throw new ApiError('invalid_session');
  if (fact.seenIsStale) {
    await lookups
      .noteSeen(fact)
      .catch((error) => log.warn({ error }, 'failed to extend a session'));
  }
  const { id: sessionId, userId, isVerified } = fact;
  return { kind: 'session', userId, sessionId, isVerified, reach: reachFor(fact) };
}

/** Null if there is no active workspace, or if the user is no longer a member of it. */
function reachFor({ userId, activeWorkspaceId, role }: SessionFact): Reach | null {
  if (activeWorkspaceId === null || role === null) return null;
  return {
    workspaceId: activeWorkspaceId,
    envs: allEnvs,
    actor: { type: 'user', id: userId },
    authority: role,
  };
}
