// Headers in which a node identifies itself. They are not query parameters, so that many nodes can
// send the same query and share one signed response.
import { NODE_ID_CHARS_MAX } from './limits.ts';

/** A node's ID or name. */
export const NODE_ID = new RegExp(`^[A-Za-z0-9._:-]{1,${NODE_ID_CHARS_MAX}}$`);

/** The node's ID, as an alternative to `node` in the query. */
export const NODE_HEADER = 'keyrail-node';

/**
 * A name that a node keeps across restarts. A node that sends it has a new ID after each start, and
 * never polls again after it has left.
 */
export const NODE_NAME_HEADER = 'keyrail-node-name';

/** The node's longest time between two polls without `wait_ms`, in milliseconds. */
export const NODE_POLL_HEADER = 'keyrail-poll-interval';
