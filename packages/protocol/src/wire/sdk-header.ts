// The header with the name and version of a node's SDK, as `name/version`. The node list shows
// them.

export const SDK_HEADER = 'keyrail-sdk';
