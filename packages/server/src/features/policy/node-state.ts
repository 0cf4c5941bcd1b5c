// The state of a node, as lists and summaries show it.
import type { PolicyNode } from '@keyrail/protocol/objects/policy-node.ts';

/** `isCounted`: seen within 90 seconds of served time. `isCurrent`: at the project's version. */
export type NodeFacts = { isCounted: boolean; isCurrent: boolean };

/** A silent node may have any policy by now, so its version doesn't matter. */
export function nodeStateOf({ isCounted, isCurrent }: NodeFacts): PolicyNode['state'] {
  if (!isCounted) return 'silent';
  return isCurrent ? 'current' : 'behind';
}
