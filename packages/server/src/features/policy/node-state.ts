// A node's state, as shown in lists and summaries.
import type { PolicyNode } from '@keyrail/protocol/objects/policy-node.ts';

/**
 * `isCounted`: seen within the last 90 seconds, not counting time when the server was down.
 * `isCurrent`: at the project's version.
 */
export type NodeFacts = { isCounted: boolean; isCurrent: boolean };

/** A silent node may have applied any version by now, so its last known version doesn't matter. */
export function nodeStateOf({ isCounted, isCurrent }: NodeFacts): PolicyNode['state'] {
  if (!isCounted) return 'silent';
  return isCurrent ? 'current' : 'behind';
}
