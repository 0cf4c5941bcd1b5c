// The public keys that may sign the feed: pinned by the options, or read from the control plane and
// kept beside the cache. Only keys with the purpose of the feed count.
import { createPublicKey, type KeyObject } from 'node:crypto';
import { FEED_PURPOSE } from '@keyrail/protocol/wire/feed-signature.ts';
import type { FeedJwks } from '../../api/options.ts';
import type { Clock } from '../../clock.ts';
import { fieldsOf } from '../../json.ts';
import type { Transport } from '../../transport.ts';

export type FeedKeys = {
  /** `no list`: the keys could not be read yet, so nothing can be verified. */
  find(kid: string): Promise<KeyObject | 'unknown' | 'no list'>;
};

/** The file beside the cache that keeps the list. Neither function rejects. */
export type KeptKeys = { read(): Promise<unknown>; write(jwks: FeedJwks): Promise<void> };

type JwksParts = { transport: Transport; clock: Clock; kept: KeptKeys | null };

const PATH = '/.well-known/jwks.json';
const TIMEOUT_MS = 10_000;
/** An unknown key makes the node read the list again, but not more often than this. */
const REREAD_MS = 60_000;
const KEYS_MAX = 1000;

/** Pinned keys by their ids, or the list that the deployment publishes. */
export type FeedKeySource = 'jwks' | ReadonlyMap<string, KeyObject>;

/** The keys of the feed in a JWKS; throws a TypeError for one that is malformed. */
export function feedKeysIn(jwks: unknown): Map<string, KeyObject> {
  const { keys } = fieldsOf(jwks);
  if (!Array.isArray(keys) || keys.length > KEYS_MAX) {
    throw new TypeError('feedKeys must be "jwks" or an object with a list of keys');
  }
  const found = keys.map(fieldsOf).filter(({ purpose }) => purpose === FEED_PURPOSE);
  return new Map(
    found.map(({ kid, kty, crv, x }) => {
      if (kty !== 'OKP' || crv !== 'Ed25519' || typeof x !== 'string' || typeof kid !== 'string') {
        throw new TypeError('feedKeys holds a key that is not an Ed25519 key with a kid');
      }
      return [kid, createPublicKey({ key: { kty, crv, x }, format: 'jwk' })];
    }),
  );
}

/** Pinned keys are all that ever count. */
export const openFeedKeys = (source: FeedKeySource, parts: JwksParts): FeedKeys =>
  source === 'jwks' ? publishedKeys(parts) : { find: async (kid) => source.get(kid) ?? 'unknown' };

/** Reads the list when it first needs a key, and again when it meets an unknown one. */
function publishedKeys({ transport, clock, kept }: JwksParts): FeedKeys {
  let known: Map<string, KeyObject> | null = null;
  let readAt = Number.NEGATIVE_INFINITY;

  async function readAgain(): Promise<void> {
    if (clock.monotonicMs() - readAt < REREAD_MS) return;
    const outcome = await transport.send({ method: 'GET', path: PATH, timeoutMs: TIMEOUT_MS });
    if (outcome.kind !== 'answer') return;
    const found = parsedKeys(outcome.body);
    if (!found) return;
    known = found;
    readAt = clock.monotonicMs();
    await kept?.write(outcome.body as FeedJwks);
  }

  return {
    async find(kid) {
      known ??= parsedKeys(await kept?.read());
      if (!known?.has(kid)) await readAgain();
      return known === null ? 'no list' : (known.get(kid) ?? 'unknown');
    },
  };
}

/** Null for a list that is malformed or has no key of the feed. */
function parsedKeys(jwks: unknown): Map<string, KeyObject> | null {
  try {
    const found = feedKeysIn(jwks);
    return found.size > 0 ? found : null;
  } catch {
    return null;
  }
}
