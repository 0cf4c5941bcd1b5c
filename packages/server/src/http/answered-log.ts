// Writes one log line per response, with its endpoint, status and caller. The line contains IDs,
// but no other values from the request.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { loggedNetworkOf } from '../access/client-networks.ts';
import type { Principal } from '../access/principal.ts';
import { isLevelEnabled, type Log } from '../base/log.ts';
import { isHungUp } from './responses.ts';
import type { ServedRoute } from './route.ts';

/** The caller as it appears in the log. A session appears as its user. */
type LoggedCaller = {
  kind: 'secret_key' | 'user' | 'embed' | 'bootstrap' | 'scanner';
  id: string | null;
};

/**
 * Set as soon as the caller is known, so that the log also identifies callers whose requests are
 * denied.
 */
export const CALLER = 'caller';

declare module 'fastify' {
  // biome-ignore lint/style/useConsistentTypeDefinitions: only interfaces merge with others
  interface FastifyRequest {
    [CALLER]: LoggedCaller | null;
  }
}

export function loggedCaller(principal: Principal): LoggedCaller | null {
  switch (principal.kind) {
    case 'session':
      return { kind: 'user', id: principal.userId };
    case 'secret_key':
    case 'embed':
      return { kind: principal.kind, id: principal.reach.actor.id };
    case 'bootstrap':
      return { kind: 'bootstrap', id: null };
    default:
      return null;
  }
}

/** Successful responses from hot routes are logged at debug level. */
export function logAnswered({ line, hot }: ServedRoute, log: Log) {
  const isHot = hot ?? false;
  const isQuiet = isHot && !isLevelEnabled(log, 'debug');
  const isOfPeople = / \/v1\/auth\//.test(line);
  return (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    const { statusCode: status } = reply;
    const isSuccess = status < 400;
    if (!isHungUp(request) && !(isQuiet && isSuccess)) {
      const ms = Math.round(reply.elapsedTime);
      const level = isHot && isSuccess ? 'debug' : 'info';
      const network = isOfPeople ? { network: loggedNetworkOf(request.ip) } : {};
      const principal = request[CALLER];
      log[level]({ requestId: request.id, line, status, ms, principal, ...network }, 'responded');
    }
    done();
  };
}
