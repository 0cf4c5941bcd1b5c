// The credentials that endpoints accept. The server's authentication, the OpenAPI document and the
// reference all read this table.

/** `signature` is a signed webhook; the others are sent as `authorization: Bearer`. */
export type Credential = 'secret_key' | 'session' | 'embed' | 'bootstrap' | 'signature';

/** The credentials that each kind of endpoint accepts. Any one of them is enough. */
export const accepts = {
  none: [],
  vendor: ['secret_key', 'session'],
  session: ['session'],
  machine: ['secret_key'],
  /** The secret key may be cached for a few seconds. */
  machineHot: ['secret_key'],
  /** The secret key is never cached, and the request must not come from a browser. */
  minting: ['secret_key'],
  embed: ['embed'],
  founder: ['bootstrap', 'session'],
  signature: ['signature'],
} as const satisfies Record<string, readonly Credential[]>;

/** The credential an endpoint requires. */
export type Auth = keyof typeof accepts;
