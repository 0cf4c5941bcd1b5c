// Which credentials endpoints accept. The server's authentication, the OpenAPI document and the
// reference are all based on this table.

/** `signature` means a signed webhook; the others are sent as `authorization: Bearer`. */
export type Credential = 'secret_key' | 'session' | 'embed' | 'bootstrap' | 'signature';

/** Which credentials each kind of endpoint accepts. Any one of them is enough. */
export const accepts = {
  none: [],
  vendor: ['secret_key', 'session'],
  session: ['session'],
  machine: ['secret_key'],
  /** The result of the secret key check may be cached for a few seconds. */
  machineHot: ['secret_key'],
  /** The secret key is checked every time, and requests from browsers are rejected. */
  minting: ['secret_key'],
  embed: ['embed'],
  founder: ['bootstrap', 'session'],
  signature: ['signature'],
} as const satisfies Record<string, readonly Credential[]>;

/** The kind of authentication that an endpoint requires. */
export type Auth = keyof typeof accepts;
