// The header in which a node may send its name in place of the query's `node`. Requests of many
// nodes then have the same query, and share one signed response.

export const NODE_HEADER = 'keyrail-node';
