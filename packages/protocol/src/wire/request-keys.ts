// Idempotency keys of requests to the control plane itself, as opposed to the claims that nodes
// make.
import { REQUEST_KEY_CHARS_MAX } from './limits.ts';

export const REQUEST_KEY_HEADER = 'idempotency-key';
export const REPLAYED_HEADER = 'idempotent-replayed';

/** 1 to 255 visible ASCII characters. */
export const isRequestKey = (value: string): boolean =>
  value.length <= REQUEST_KEY_CHARS_MAX && /^[\x21-\x7e]+$/.test(value);

/**
 * First path segments below /v1/ that are not in the vendor plane: endpoints for people, machines
 * and webhooks.
 */
const OTHER_PLANES = new Set(
  `auth workspaces embed_tokens embed policy ratelimit idempotency ingest webhooks`.split(' '),
);

/** POSTs of the vendor plane that change nothing. */
const READS = new Set(['/v1/keys/explain']);

/**
 * Whether a request accepts an idempotency key, which every POST of the vendor plane that changes
 * something does: it runs once, and retries get the stored response. A test compares this with the
 * endpoints that accept both a secret key and a session.
 */
export function takesRequestKey(method: string, path: string): boolean {
  const [plain = ''] = path.split('?', 1);
  const [, version, resource = ''] = plain.split('/');
  if (method !== 'POST' || READS.has(plain)) return false;
  return version === 'v1' && resource !== '' && !OTHER_PLANES.has(resource);
}
