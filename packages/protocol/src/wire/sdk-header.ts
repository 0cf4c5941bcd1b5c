// The header that contains the name and version of a node's SDK, as `name/version`. Both are shown
// in the list of nodes.

export const SDK_HEADER = 'keyrail-sdk';
