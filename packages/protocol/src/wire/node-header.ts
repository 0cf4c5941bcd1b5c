// What a node says of itself in headers. None of it is in the query, so that requests of many nodes
// have the same query, and share one signed response.

/** The id of the node, in place of the query's `node`. */
export const NODE_HEADER = 'keyrail-node';

/**
 * The name that the node shares with its predecessors. A node that sends it starts with a new id
 * each time, and never polls again after it has left.
 */
export const NODE_NAME_HEADER = 'keyrail-node-name';

/** The longest time in milliseconds between two polls that the control plane does not hold. */
export const NODE_POLL_HEADER = 'keyrail-poll-interval';
