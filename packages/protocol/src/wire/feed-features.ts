// The features that a key may require of the nodes that verify it. A node lists those it can
// enforce in the query parameter `understands`, and gets no keys that require other features.

/** In alphabetical order. Keys don't require any features yet. */
export const feedFeatures: readonly string[] = [];
