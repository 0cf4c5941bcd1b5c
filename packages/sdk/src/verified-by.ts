// The node that verified the key of a context.

/**
 * The name under which a context has its node's `verify`. A registered symbol, because in the
 * CommonJS build each entry point has its own copy of this file.
 */
export const VERIFIED_BY = Symbol.for('keyrail.verified-by');
