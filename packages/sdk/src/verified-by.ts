// The node that verified the key of a context.

/**
 * A context has its node's `verify` under this name. Registered, because in the CommonJS build each
 * entry point has its own copy of this file.
 */
export const VERIFIED_BY = Symbol.for('keyrail.verified-by');
