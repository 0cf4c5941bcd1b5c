// A signed-in person. The membership is read anew with every request, so that a removal or a new
// role holds from the next one on.
import { lookupHash, parseCredential } from '@keyrail/protocol/key-format.ts';
import { ApiError } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import type { Gate, SessionFact } from '../doors/gate.ts';
import { allEnvs, type Reach } from '../doors/reach.ts';
import type { Principal } from './principal.ts';

export async function sessionPrincipal(
  { gate, log }: { gate: Gate; log: Log },
  token: string,
): Promise<Principal> {
  const fact = parseCredential(token) ? await gate.findSession(lookupHash(token)) : null;
  if (!fact?.live) throw new ApiError('invalid_session');
  if (fact.seenIsStale) {
    await gate.noteSeen(fact).catch((error) => log.warn({ error }, 'a session was not renewed'));
  }
  const { id: sessionId, userId, isVerified } = fact;
  return { kind: 'session', userId, sessionId, isVerified, reach: reachFor(fact) };
}

/** None without an active workspace, and none in a workspace that the person has left. */
function reachFor({ userId, activeWorkspaceId, role }: SessionFact): Reach | null {
  if (activeWorkspaceId === null || role === null) return null;
  return {
    workspaceId: activeWorkspaceId,
    envs: allEnvs,
    actor: { type: 'user', id: userId },
    authority: role,
  };
}
