// Idempotency keys for requests to the control plane itself. (Nodes make idempotency claims for
// requests to the vendor's API.)
import { REQUEST_KEY_CHARS_MAX } from './limits.ts';

export const REQUEST_KEY_HEADER = 'idempotency-key';
export const REPLAYED_HEADER = 'idempotent-replayed';

/** 1 to 255 visible ASCII characters. */
export const isRequestKey = (value: string): boolean =>
  value.length <= REQUEST_KEY_CHARS_MAX && /^[\x21-\x7e]+$/.test(value);

/**
 * The first path segments, after /v1/, of endpoints that are not for managing a workspace, but for
 * user accounts, nodes, embed tokens and webhooks.
 */
const OTHER_PLANES = new Set(
  `auth workspaces embed_tokens embed policy ratelimit idempotency ingest webhooks`.split(' '),
);

/** POST endpoints that change nothing. */
const READS = new Set(['/v1/keys/explain']);

/**
 * Whether a request accepts an idempotency key. All POST endpoints that accept both a secret key
 * and a session do, except those that change nothing. The change is then made once, and retries get
 * the stored response. A test compares these paths with the credentials that each endpoint accepts.
 */
export function takesRequestKey(method: string, path: string): boolean {
  const [plain = ''] = path.split('?', 1);
  const [, version, resource = ''] = plain.split('/');
  if (method !== 'POST' || READS.has(plain)) return false;
  return version === 'v1' && resource !== '' && !OTHER_PLANES.has(resource);
}
