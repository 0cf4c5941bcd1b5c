// A policy's proof: the signed responses it was built from. A cache stores them, so that a node
// that starts from the cache can verify them again.

import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import { SECOND_MS } from '@keyrail/protocol/wire/durations.ts';
import type { Clock } from '../../clock.ts';
import { type Moment, momentOf } from '../time.ts';
import type { FeedKeys } from './feed-keys.ts';
import { createFreshness } from './freshness.ts';
import { type ReceivedAnswer, Unproven, verifyAnswer } from './verify-answer.ts';

/** A signed response with a body. */
export type Proof = {
  kid: string;
  target: string;
  etag: string;
  digest: string;
  input: string;
  signature: string;
  /** The compressed body. */
  body: Uint8Array;
};

/** The pages of a snapshot, and the deltas received since. */
export type Proofs = { snapshot: Proof[]; deltas: Proof[] };

export type FeedVerifier = {
  /**
   * Throws Unproven. Returns null for a response without a body, or if bodies are not kept.
   * `isProven`: the request's target contains a nonce that this process has just created.
   */
  check(answer: ReceivedAnswer, isProven: boolean): Promise<Proof | null>;
  /** Verifies a response from a cache, and returns its body. Throws Unproven. */
  recheck(proof: Proof): Promise<Buffer>;
  /**
   * Returns the moment up to which the last verified response confirms the policy; null before the
   * first.
   */
  confirmedAt(): Moment | null;
  /** Why the last verified response casts doubt on the wall clock; null if it does not. */
  clockFault(): string | null;
  readonly keys: Pick<FeedKeys, 'removals' | 'failure'>;
  /** Returns the key that signed the last verified response. */
  lastKid(): string | null;
  /** Returns the number of rejected responses. */
  refusals(): number;
};

type VerifierParts = { keys: FeedKeys; clock: Clock; keepsBodies: boolean };

const OK = 200;
/** The maximum size of a feed response. */
const BODY_BYTES_MAX = 8 * 1024 * 1024;
const deflate = promisify(deflateRaw);
const inflate = promisify(inflateRaw);

export function createFeedVerifier({ keys, clock, keepsBodies }: VerifierParts): FeedVerifier {
  const freshness = createFreshness();
  let confirmedAt: Moment | null = null;
  let lastKid: string | null = null;
  let refusals = 0;

  async function check(answer: ReceivedAnswer, isProven: boolean): Promise<Proof | null> {
    const arrived = momentOf(clock);
    await keys.refresh();
    const { kid, created } = await verifyAnswer(answer, keys);
    const judged = freshness.judge({ signedAtMs: created * SECOND_MS, arrived, isProven });
    if (typeof judged === 'string') throw new Unproven(judged);
    confirmedAt = judged;
    lastKid = kid;
    const { target, etag, digest, input, signature, bytes } = answer;
    if (!keepsBodies || !etag || !digest || !input || !signature) return null;
    return { kid, target, etag, digest, input, signature, body: await deflate(bytes) };
  }

  return {
    check: (answer, isProven) =>
      check(answer, isProven).catch((error: unknown) => {
        refusals += 1;
        throw error;
      }),
    async recheck(proof) {
      const bytes = await inflate(proof.body, { maxOutputLength: BODY_BYTES_MAX });
      await verifyAnswer({ ...proof, status: OK, bytes }, keys);
      return bytes;
    },
    keys,
    confirmedAt: () => confirmedAt,
    clockFault: freshness.clockFault,
    lastKid: () => lastKid,
    refusals: () => refusals,
  };
}

export const proofBytes = (proofs: readonly Proof[]): number =>
  proofs.reduce((sum, { body }) => sum + body.length, 0);
