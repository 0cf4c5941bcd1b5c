// Decides when a node loads a snapshot just to renew its policy's proof: when the deltas since the
// last snapshot have become large, when a new key signs the feed, and when a key that may have
// signed the policy in force was removed from the published list. A cache signed with a retired key
// could no longer be verified.
import type { Chance, Clock } from '../../clock.ts';
import { type FeedVerifier, type Proofs, proofBytes } from './proof.ts';

/**
 * A renewal is due when the deltas exceed this size, or half the snapshot's size if that is larger.
 */
const DELTA_BYTES_MIN = 1024 * 1024;
/** A renewal is also due when there are more deltas than this. */
const DELTAS_MAX = 10_000;
/**
 * Nodes spread their renewals over this time. After a rotation there is no hurry, because the old
 * key stays published for a day.
 */
const SPREAD_MS = 3_600_000;

type RenewalParts = { verifier: FeedVerifier; clock: Clock; chance: Chance };

/** Returns whether a renewal is due. */
export function createRenewal({ verifier, clock, chance }: RenewalParts) {
  let due: { why: string; atMs: number } | null = null;
  let renewedRemovals = 0;
  const isDue = (why: string): boolean => {
    const now = clock.monotonicMs();
    if (due?.why !== why) due = { why, atMs: now + SPREAD_MS * chance() };
    return now >= due.atMs;
  };
  return (proofs: Proofs | undefined): boolean => {
    const { removals } = verifier.keys;
    if (removals > renewedRemovals) {
      const isRenewed = isDue(`removal ${removals}`);
      if (isRenewed) renewedRemovals = removals;
      return isRenewed;
    }
    if (!proofs) return false;
    const { snapshot, deltas } = proofs;
    const limit = Math.max(DELTA_BYTES_MIN, proofBytes(snapshot) / 2);
    if (deltas.length > DELTAS_MAX || proofBytes(deltas) > limit) return true;
    const kid = verifier.lastKid();
    if (kid === null || [...snapshot, ...deltas].every((proof) => proof.kid === kid)) return false;
    return isDue(`signer ${kid}`);
  };
}
