// Coordinates retries of a request: one is carried out, and the others wait or get the stored
// response.
import { z } from 'zod';
import { endpoints } from '../endpoint.ts';
import {
  CompletedIdempotencyRecord,
  IdempotencyClaim,
  IdempotencyRecord,
} from '../objects/idempotency.ts';
import { text } from '../text.ts';
import { Env, Sha256Hex } from '../validators.ts';
import {
  IDEMPOTENCY_BODY_CHARS_MAX,
  IDEMPOTENCY_HEADER_NAME_CHARS_MAX,
  IDEMPOTENCY_HEADER_VALUE_CHARS_MAX,
  IDEMPOTENCY_LOCK_TOKEN_CHARS_MAX,
  IDEMPOTENCY_LOCK_TOKEN_CHARS_MIN,
  IDEMPOTENCY_STATUS_MAX,
  IDEMPOTENCY_STATUS_MIN,
  IDEMPOTENCY_TTL_MS_DEFAULT,
  IDEMPOTENCY_TTL_MS_MAX,
  IDEMPOTENCY_TTL_MS_MIN,
  IDEMPOTENCY_VALUES_MAX,
  LARGE_BODY_BYTES_MAX,
} from '../wire/limits.ts';

const TtlMs = z
  .int()
  .min(IDEMPOTENCY_TTL_MS_MIN)
  .max(IDEMPOTENCY_TTL_MS_MAX)
  .default(IDEMPOTENCY_TTL_MS_DEFAULT);

const held = {
  scope_hash: Sha256Hex,
  env: Env,
  lock_token: text(IDEMPOTENCY_LOCK_TOKEN_CHARS_MIN, IDEMPOTENCY_LOCK_TOKEN_CHARS_MAX),
};

// Stored headers are replayed unchanged, so they must be valid in HTTP: no line breaks, no Unicode.
// The patterns search for a single forbidden character, because a pattern for the whole value would
// backtrack on a long one.
const HeaderName = z
  .string()
  .min(1)
  .max(IDEMPOTENCY_HEADER_NAME_CHARS_MAX)
  .refine((name) => !/[^!#$%&'*+.^_`|~0-9A-Za-z-]/.test(name), 'must be a valid header name');

const HeaderValue = z
  .string()
  .max(IDEMPOTENCY_HEADER_VALUE_CHARS_MAX)
  .refine((value) => !/[^\t\x20-\x7e\x80-\xff]/.test(value), 'must be a valid header value');

const HeaderMap = z.record(HeaderName, HeaderValue);

const Base64Body = z
  .string()
  .max(IDEMPOTENCY_BODY_CHARS_MAX)
  .refine(isBase64, 'must be base64 with padding');

export const idempotencyEndpoints = endpoints({
  'POST /v1/idempotency/claim': {
    auth: 'machineHot',
    permission: 'idempotency:write',
    summary: 'Claim the right to run a request',
    description:
      'Nodes call this before they run a request with an idempotency key. Of several ' +
      'simultaneous claims, exactly one gets the state `execute`.',
    body: z.strictObject({
      scope_hash: Sha256Hex,
      fingerprint: Sha256Hex,
      env: Env,
      ttl_ms: TtlMs,
    }),
    answers: { 200: IdempotencyClaim },
  },
  'POST /v1/idempotency/complete': {
    auth: 'machineHot',
    permission: 'idempotency:write',
    summary: 'Store the response to a claimed request',
    description:
      'The node that holds the claim calls this, so that retries get this response. A `null` ' +
      'body, or one larger than `max_body_bytes`, cannot be replayed. The request can contain at ' +
      'most 10,000 values; each header counts as one.',
    bodyBytesMax: LARGE_BODY_BYTES_MAX,
    bodyValuesMax: IDEMPOTENCY_VALUES_MAX,
    body: z.strictObject({
      ...held,
      status: z.int().min(IDEMPOTENCY_STATUS_MIN).max(IDEMPOTENCY_STATUS_MAX),
      headers: HeaderMap.default({}),
      body: Base64Body.nullable().default(null),
      ttl_ms: TtlMs,
    }),
    answers: { 200: CompletedIdempotencyRecord },
  },
  'POST /v1/idempotency/release': {
    auth: 'machineHot',
    permission: 'idempotency:write',
    summary: 'Release a claim, so that a retry can run',
    description:
      'The node that holds the claim calls this if the request failed in a way that a retry may ' +
      'fix. Nothing is stored.',
    body: z.strictObject(held),
    answers: { 200: IdempotencyRecord },
  },
  'POST /v1/idempotency/heartbeat': {
    auth: 'machineHot',
    permission: 'idempotency:write',
    summary: 'Extend the lock of a running request',
    description:
      'The node that holds the claim calls this while a slow request is running. A lock that is ' +
      'not extended expires, and another request can then run.',
    body: z.strictObject(held),
    answers: { 200: IdempotencyRecord },
  },
});

function isBase64(value: string): boolean {
  if (value.length % 4 !== 0) return false;
  const padding = value.endsWith('==') ? 2 : value.endsWith('=') ? 1 : 0;
  return !/[^A-Za-z0-9+/]/.test(padding ? value.slice(0, -padding) : value);
}
