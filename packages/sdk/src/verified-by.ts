// Marks a context with the node that verified its key.

/**
 * The property in which a context stores its node's `verify`. It is a registered symbol, because in
 * the CommonJS build each entry point has its own copy of this file.
 */
export const VERIFIED_BY = Symbol.for('keyrail.verified-by');
