// Headers that identify a node. They are not query parameters, so that nodes with the same query
// can share one signed response.
import { NODE_ID_CHARS_MAX } from './limits.ts';

/** The format of a node's ID or name. */
export const NODE_ID = new RegExp(`^[A-Za-z0-9._:-]{1,${NODE_ID_CHARS_MAX}}$`);

/** The node's ID, as an alternative to `node` in the query. */
export const NODE_HEADER = 'keyrail-node';

/**
 * A name that a node keeps across restarts. A node that sends it gets a new ID each time it starts,
 * and does not poll again after reporting that it is leaving.
 */
export const NODE_NAME_HEADER = 'keyrail-node-name';

/** The longest time, in milliseconds, between two of the node's polls without `wait_ms`. */
export const NODE_POLL_HEADER = 'keyrail-poll-interval';
