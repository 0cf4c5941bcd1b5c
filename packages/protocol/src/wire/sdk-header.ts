// The header with a node's SDK, as `name/version`. The node list shows it.

export const SDK_HEADER = 'keyrail-sdk';
