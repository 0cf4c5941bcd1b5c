// This tab's session. A new tab gets the session from the other tabs, and signing out in one tab
// signs out all of them.
import type { Answer } from '@keyrail/client';
import { createObserved, useObserved } from './observed.ts';
import { onTabMessage, type SessionFacts, sendToTabs } from './tabs.ts';

type SessionState =
  /** This tab has asked the other tabs for their session and is waiting for a response. */
  | { status: 'asking' }
  | { status: 'out' }
  | { status: 'in'; session: SessionFacts }
  /** The server rejected the session. The page stays open, covered by a sign-in dialog. */
  | { status: 'ended'; session: SessionFacts };

const STORED = 'keyrail.session';
const ASK_MS_MAX = 150;

const state = createObserved<SessionState>({ status: 'asking' });

export const sessionState = (): SessionState => state.get();
export const useSession = (): SessionState => useObserved(state);
export const onSessionChange = state.subscribe;

/** Loads this tab's session, or requests one from another tab, then listens to the other tabs. */
export async function startSession(): Promise<void> {
  onTabMessage((message) => {
    const current = state.get();
    if (message.kind === 'ask' && current.status === 'in') {
      sendToTabs({ kind: 'signed-in', session: current.session });
    }
    if (message.kind === 'signed-in') acceptFromTab(current, message.session);
    if (message.kind === 'signed-out') forget();
    if (message.kind === 'ended' && isOf(current, message.token)) setEnded(current);
  });
  const stored = readStored();
  if (stored) return keep(stored);
  sendToTabs({ kind: 'ask' });
  await new Promise<void>((resolve) => {
    const unsubscribe = state.subscribe(resolve);
    setTimeout(() => {
      unsubscribe();
      resolve();
    }, ASK_MS_MAX);
  });
  if (state.get().status === 'asking') state.set({ status: 'out' });
}

/**
 * Ignores another user's session if this page is covered by the sign-in dialog, because only the
 * same user may continue on this page.
 */
function acceptFromTab(current: SessionState, session: SessionFacts): void {
  if (current.status === 'in') return;
  if (current.status === 'ended' && current.session.userId !== session.userId) return;
  keep(session);
}

const isOf = (
  current: SessionState,
  token: string,
): current is Extract<SessionState, { status: 'in' }> =>
  current.status === 'in' && current.session.token === token;

/** Turns the response to a sign-in request into the session that tabs store. */
export function signedIn({ token, user, ...times }: Answer<'POST /v1/auth/sessions'>): void {
  const session = {
    token,
    userId: user.id,
    email: user.email,
    // Both values are based on times from the server, because this machine's clock may be wrong.
    idleMs: Date.parse(times.expires_at) - Date.parse(times.last_seen_at),
    endsMs: Date.parse(times.absolute_expires_at),
  };
  keep(session);
  sendToTabs({ kind: 'signed-in', session });
}

/**
 * Call this when the server rejects a token. If this tab has a newer session, that session is kept.
 */
export function sessionEnded(token: string): void {
  const current = state.get();
  if (!isOf(current, token)) return;
  setEnded(current);
  sendToTabs({ kind: 'ended', token });
}

export function signedOut(): void {
  forget();
  sendToTabs({ kind: 'signed-out' });
}

function keep(session: SessionFacts): void {
  try {
    sessionStorage.setItem(STORED, JSON.stringify(session));
  } catch {
    // Without session storage, the session is lost when the page is reloaded.
  }
  state.set({ status: 'in', session });
}

function forget(): void {
  removeStored();
  state.set({ status: 'out' });
}

function setEnded({ session }: { session: SessionFacts }): void {
  removeStored();
  state.set({ status: 'ended', session });
}

function removeStored(): void {
  try {
    sessionStorage.removeItem(STORED);
  } catch {
    // If storage is blocked, nothing was stored.
  }
}

function readStored(): SessionFacts | null {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(STORED) ?? 'null');
    return isFacts(stored) ? stored : null;
  } catch {
    return null;
  }
}

const isFacts = (value: unknown): value is SessionFacts =>
  typeof value === 'object' &&
  value !== null &&
  ['token', 'userId', 'email'].every((name) => typeof Reflect.get(value, name) === 'string');
