// Credentials for the vendor's own backend.
import { z } from 'zod';
import { endpoints } from '../endpoint.ts';
import { CreatedSecretKey, RotatedSecretKey, SecretKey } from '../objects/secret-key.ts';
import { list } from '../objects/wire.ts';
import { paging } from '../query.ts';
import { Env, Meta, Name, OverlapHours, Reason, Timestamp } from '../validators.ts';
import { LIST_LIMIT_DEFAULT, LIST_LIMIT_MAX } from '../wire/limits.ts';

export const secretKeyEndpoints = endpoints({
  'POST /v1/secret_keys': {
    auth: 'vendor',
    summary: 'Create a secret key',
    description:
      'The full key is in `key` and is shown once. A key created with a secret key never expires ' +
      'later than that key.',
    body: z.strictObject({
      env: Env,
      name: Name.optional(),
      meta: Meta.optional(),
      expires_at: Timestamp.optional(),
    }),
    refusals: { 409: "The workspace's `meta` would exceed its maximum." },
    answers: { 201: CreatedSecretKey },
  },
  'GET /v1/secret_keys': {
    auth: 'vendor',
    summary: 'List secret keys, newest first',
    description: 'Includes revoked keys. A test credential only sees test keys.',
    query: z.strictObject(paging(LIST_LIMIT_MAX, LIST_LIMIT_DEFAULT)),
    list: true,
    answers: { 200: list(SecretKey) },
  },
  'GET /v1/secret_keys/{id}': {
    auth: 'vendor',
    summary: 'Read a secret key',
    description:
      'Returns its environment and state, including when it was last used, revoked or ' +
      'quarantined. The full key is never shown again.',
    answers: { 200: SecretKey },
  },
  'POST /v1/secret_keys/{id}/rotate': {
    auth: 'vendor',
    summary: 'Replace a secret key without downtime',
    description:
      'Creates a new key with the same name and `meta` in the same environment. Both keys work ' +
      'until the overlap ends; an earlier expiry is never moved later.',
    body: z.strictObject({ overlap_hours: OverlapHours }),
    bodyOptional: true,
    dryRun: true,
    refusals: {
      409: "The key is revoked or expired, or the workspace's `meta` would exceed its maximum.",
    },
    answers: { 200: RotatedSecretKey },
  },
  'POST /v1/secret_keys/{id}/revoke': {
    auth: 'vendor',
    summary: 'Revoke a secret key',
    description:
      'Takes effect before the response is sent; only rate-limit checks and idempotency calls ' +
      'may accept the key for a few seconds longer. Revoking a revoked key changes nothing.',
    body: z.strictObject({ reason: Reason.optional() }),
    bodyOptional: true,
    dryRun: true,
    answers: { 200: SecretKey },
  },
});
