// The public keys that may sign the feed: pinned in the options, or loaded from the control plane
// and stored alongside the cache. Keys with any purpose other than `policy_feed` are ignored.

import { createPublicKey, type KeyObject } from 'node:crypto';
import { DAY_MS } from '@keyrail/protocol/wire/durations.ts';
import { FEED_PURPOSE } from '@keyrail/protocol/wire/feed-signature.ts';
import type { FeedJwks, Log } from '../../api/options.ts';
import type { Clock } from '../../clock.ts';
import { fieldsOf } from '../../json.ts';
import type { Transport } from '../../transport.ts';
import { type Moment, momentOf, msSince } from '../time.ts';

export type FeedKeys = {
  /** `no list`: no keys have been loaded, so nothing can be verified. */
  find(kid: string): Promise<KeyObject | 'unknown' | 'no list'>;
  /** Loads the published list when it is due: at startup, and once a day. Never rejects. */
  refresh(): Promise<void>;
  /** How many times a newly loaded list was missing a key from the previous one. */
  readonly removals: number;
  /**
   * Why the last attempt to load the list failed; null if it succeeded, or before the first
   * attempt.
   */
  readonly failure: string | null;
};

/**
 * Reads and writes the file, stored alongside the cache, that contains the list of keys. Neither
 * function rejects.
 */
export type KeptKeys = { read(): Promise<unknown>; write(jwks: FeedJwks): Promise<void> };

type JwksParts = { transport: Transport; clock: Clock; kept: KeptKeys | null; log: Log };

const PATH = '/.well-known/jwks.json';
const TIMEOUT_MS = 10_000;
/**
 * The timeout for loading a new list when the node already has one. It is shorter, because a
 * response waits for the new list.
 */
const AGAIN_TIMEOUT_MS = 3_000;
/** The minimum time between two reloads of the list because of unknown keys. */
const UNKNOWN_MS = 60_000;
/**
 * The pause after a failed attempt to load the list. It is long, because a response has to wait for
 * each attempt.
 */
const RETRY_MS = 3_600_000;
const KEYS_MAX = 1000;

/** Pinned keys by ID, or the list that the deployment publishes. */
export type FeedKeySource = 'jwks' | ReadonlyMap<string, KeyObject>;

/** Extracts the feed's keys from a JWKS; throws a TypeError if the JWKS is malformed. */
export function feedKeysIn(jwks: unknown): Map<string, KeyObject> {
  const { keys } = fieldsOf(jwks);
  if (!Array.isArray(keys) || keys.length > KEYS_MAX) {
    throw new TypeError('feedKeys must be "jwks" or an object with a list of keys');
  }
  const found = keys.map(fieldsOf).filter(({ purpose }) => purpose === FEED_PURPOSE);
  return new Map(
    found.map(({ kid, kty, crv, x }) => {
      if (kty !== 'OKP' || crv !== 'Ed25519' || typeof x !== 'string' || typeof kid !== 'string') {
        throw new TypeError('feedKeys contains a key that is not an Ed25519 key with a kid');
      }
      return [kid, createPublicKey({ key: { kty, crv, x }, format: 'jwk' })];
    }),
  );
}

/** If keys are pinned, no other keys are ever accepted. */
export const openFeedKeys = (source: FeedKeySource, parts: JwksParts): FeedKeys =>
  source === 'jwks' ? new PublishedKeys(parts) : new PinnedKeys(source);

class PinnedKeys implements FeedKeys {
  readonly removals = 0;
  readonly failure = null;
  readonly #keys: ReadonlyMap<string, KeyObject>;

  constructor(keys: ReadonlyMap<string, KeyObject>) {
    this.#keys = keys;
  }

  async find(kid: string): Promise<KeyObject | 'unknown'> {
    return this.#keys.get(kid) ?? 'unknown';
  }

  async refresh(): Promise<void> {}
}

/**
 * If loading fails, the keys are kept, because the deployment may be down while a relay still
 * responds.
 */
class PublishedKeys implements FeedKeys {
  removals = 0;
  failure: string | null = null;
  readonly #parts: JwksParts;
  #known: Map<string, KeyObject> | null = null;
  #readAt: Moment | null = null;
  #failedAt: Moment | null = null;

  constructor(parts: JwksParts) {
    this.#parts = parts;
  }

  async find(kid: string): Promise<KeyObject | 'unknown' | 'no list'> {
    await this.#loadKept();
    if (!this.#known?.has(kid) && this.#isPast(this.#readAt, UNKNOWN_MS)) await this.#read();
    if (!this.#known || this.#known.size === 0) return 'no list';
    return this.#known.get(kid) ?? 'unknown';
  }

  async refresh(): Promise<void> {
    if (!this.#isPast(this.#readAt, DAY_MS) || !this.#isPast(this.#failedAt, RETRY_MS)) return;
    await this.#loadKept();
    await this.#read();
  }

  async #loadKept(): Promise<void> {
    this.#known ??= parsedKeys(await this.#parts.kept?.read());
  }

  async #read(): Promise<void> {
    const { transport, clock, kept } = this.#parts;
    const timeoutMs = this.#known === null ? TIMEOUT_MS : AGAIN_TIMEOUT_MS;
    const outcome = await transport.send({ method: 'GET', path: PATH, timeoutMs });
    const found = outcome.kind === 'answer' ? parsedKeys(outcome.body) : null;
    if (outcome.kind !== 'answer' || found === null) return this.#failed();
    const isRemoved = (kid: string): boolean => !found.has(kid);
    if ([...(this.#known?.keys() ?? [])].some(isRemoved)) this.removals += 1;
    this.#known = found;
    this.#readAt = momentOf(clock);
    this.#failedAt = null;
    this.failure = null;
    await kept?.write(outcome.body as FeedJwks);
  }

  #failed(): void {
    const { clock, log } = this.#parts;
    this.#failedAt = momentOf(clock);
    // If no list has been loaded, the feed fails too, and its error contains the reason.
    if (this.#known === null || this.failure !== null) return;
    this.failure = 'the published feed keys could not be reloaded';
    log('warn', `keyrail: ${this.failure}; still trusting the last known keys`);
  }

  #isPast(moment: Moment | null, ms: number): boolean {
    return moment === null || msSince(moment, momentOf(this.#parts.clock)) >= ms;
  }
}

/** Parses a list's keys; null if the list is malformed. */
function parsedKeys(jwks: unknown): Map<string, KeyObject> | null {
  try {
    return feedKeysIn(jwks);
  } catch {
    return null;
  }
}
