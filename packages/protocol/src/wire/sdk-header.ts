// The header in which a node names its SDK, as `name/version`. The list of nodes shows it.

export const SDK_HEADER = 'keyrail-sdk';
