// Messages between the tabs of one browser. They never leave the browser or this origin.

/**
 * The session's details. Each tab keeps them in memory and in session storage. The token is stored
 * nowhere else.
 */
export type SessionFacts = {
  token: string;
  userId: string;
  email: string;
  /** How long the session lasts without requests, and when it ends regardless of requests. */
  idleMs?: number;
  endsMs?: number;
};

type TabMessage =
  | { kind: 'ask' }
  | { kind: 'signed-in'; session: SessionFacts }
  | { kind: 'signed-out' }
  | { kind: 'ended'; token: string }
  | { kind: 'workspace'; workspaceId: string }
  /** The user's details have changed, so other tabs reload them. */
  | { kind: 'person-changed' };

const CHANNEL = 'keyrail';

let channel: BroadcastChannel | null = null;
const listeners = new Set<(message: TabMessage) => void>();

function opened(): BroadcastChannel {
  if (channel) return channel;
  channel = new BroadcastChannel(CHANNEL);
  channel.onmessage = ({ data: message }: MessageEvent<TabMessage>) => {
    for (const listener of listeners) listener(message);
  };
  return channel;
}

/** Sends a message to every other tab. */
export const sendToTabs = (message: TabMessage): void => opened().postMessage(message);

export function onTabMessage(listener: (message: TabMessage) => void): () => void {
  opened();
  listeners.add(listener);
  return () => listeners.delete(listener);
}
