// What this process remembers of secret keys, and the news that one has ended or changed, carried
// to every other process that may remember it.
// News can be lost: then the fixed life of what is remembered bounds the harm.
import type { Log } from '../base/log.ts';
import type { Gate } from '../doors/gate.ts';
import { type HotCache, openHotCache } from './hot-cache.ts';
import type { ReadSecretKey } from './secret-key.ts';

const CHANNEL = 'kr_secret_keys';

type Ear = { channel: string; heard(message: string): void; onFault(error: unknown): void };

export type HotKeyParts = {
  gate: Gate;
  log: Log;
  lifeMs: number;
  read: ReadSecretKey;
  /** Absent where there is no other process. */
  listen: ((ear: Ear) => { close(): Promise<void> }) | undefined;
};

export type HotKeys = Pick<HotCache, 'principalOf'> & {
  /** Called after the commit. */
  forget(keyIds: readonly string[]): void;
  close(): Promise<void>;
};

export function openHotKeys({ gate, log, lifeMs, read, listen }: HotKeyParts): HotKeys {
  const cache = openHotCache({ lifeMs, read });
  const listening = listen?.({
    channel: CHANNEL,
    heard: (keyId) => cache.evict(keyId),
    onFault(error) {
      cache.clear();
      log.warn({ error }, 'the ear for secret keys was lost');
    },
  });
  return {
    principalOf: cache.principalOf,
    forget(keyIds) {
      for (const keyId of keyIds) cache.evict(keyId);
      if (!listening || keyIds.length === 0) return;
      gate
        .callOut(CHANNEL, keyIds)
        .catch((error) => log.warn({ error }, 'a change of a secret key was not called out'));
    },
    close: async () => listening?.close(),
  };
}
