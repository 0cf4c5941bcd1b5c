// The maximum length, in characters, of each request header that nodes read. Nodes ignore longer
// values, because servers accept different lengths and anyone can send long headers without a key.
import { IMPORTED_KEY_CHARS_MAX } from './limits.ts';

export const HEADER_CHARS_MAX = {
  /** `Bearer`, a space, and a key of the maximum length. */
  authorization: 'Bearer '.length + IMPORTED_KEY_CHARS_MAX,
  /** Any other header with a key, such as `x-api-key`. */
  key: IMPORTED_KEY_CHARS_MAX,
  'idempotency-key': 255,
  'x-request-id': 200,
  /** Sent to Edge by a proxy; used only for telemetry. */
  'x-forwarded-method': 16,
  'x-forwarded-uri': 1_024,
  /** Keyrail sends at most two signatures, of 47 characters each. */
  webhook: 1_000,
} as const;
