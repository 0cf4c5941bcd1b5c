// Signs the user out in every tab. If the server can't be reached, the session stays valid on the
// server, so the sign-in page says so and offers to try again.
import { KeyrailError } from '@keyrail/client';
import { nowMs } from '../clock.ts';
import { client } from './client.ts';
import { createObserved, useObserved } from './observed.ts';
import { onSessionChange, sessionState, signedOut } from './session.ts';

/**
 * A session that has ended in this browser but not on the server. Only this module still has its
 * token.
 */
type Unended = { token: string; untilMs: number | null };

const ANSWER_MS_MAX = 3000;

const unended = createObserved<Unended | null>(null);

export const useUnendedSession = (): Unended | null => useObserved(unended);

onSessionChange(() => {
  if (sessionState().status === 'in') unended.set(null);
});

/** Drops the session in this browser even if the server can't be reached. */
export async function signOut(): Promise<void> {
  const current = sessionState();
  if (current.status !== 'in') return signedOut();
  const { token, idleMs, endsMs } = current.session;
  const isEnded = await end(token);
  signedOut();
  if (isEnded) return;
  const untilMs = idleMs === undefined || endsMs === undefined ? null : nowMs() + idleMs;
  unended.set({ token, untilMs: untilMs && Math.min(untilMs, endsMs ?? untilMs) });
}

/** Retries signing out. Returns true if the session has ended. */
export async function endForgotten({ token }: Unended): Promise<boolean> {
  const isEnded = await end(token);
  if (isEnded) unended.set(null);
  return isEnded;
}

async function end(token: string): Promise<boolean> {
  const limits = { retries: 0, timeoutMs: ANSWER_MS_MAX };
  const headers = { authorization: `Bearer ${token}` };
  return client.call('DELETE /v1/auth/sessions/current', { ...limits, headers }).then(
    () => true,
    // A rejected session has already ended.
    (error: unknown) => error instanceof KeyrailError && error.status === 401,
  );
}
