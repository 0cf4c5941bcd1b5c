// Determines what an error means for the connection.
import { KeyrailError, KeyrailUnreachable } from '@keyrail/client';
import type { Transport } from '../types.ts';
import type { Ending } from './session.ts';

/** The call wasn't sent, because there is no usable token. */
export class TokenProblem extends Error {
  readonly ending: Ending;

  constructor(ending: Ending, cause: unknown) {
    super('No usable embed token.', { cause });
    this.ending = ending;
  }
}

/** True if the server rejected the token, which it checks before doing anything else. */
export const isTokenRefusal = (error: unknown): boolean =>
  error instanceof KeyrailError && error.status === 401;

/** The page's origin isn't registered. */
export class OriginRefused extends Error {}

type Asked = { url: string; transport: Transport; signal: AbortSignal };

/**
 * Finds out whether a request failed because the page's origin isn't registered. Browsers hide
 * responses from such pages, so the error looks like a lost connection. However, any page can read
 * the 401 for a request without a token. If that response arrives, the network isn't the problem.
 */
export async function originRefusal(error: unknown, asked: Asked): Promise<unknown> {
  if (!(error instanceof KeyrailUnreachable) || error.reason !== 'network') return error;
  const { url, transport, signal } = asked;
  const probe = `${url}${url.endsWith('/') ? '' : '/'}v1/embed/session`;
  const answer = await transport(probe, { credentials: 'omit', cache: 'no-store', signal }).catch(
    () => null,
  );
  if (answer === null) return error;
  return new OriginRefused("This page's origin isn't registered in the workspace.");
}
