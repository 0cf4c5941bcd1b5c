// Credentials of the vendor's own backend.
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
      'The full value is in `key` and is shown once. A key created with a secret key never ' +
      'expires later than that key.',
    body: z.strictObject({
      env: Env,
      name: Name.optional(),
      meta: Meta.optional(),
      expires_at: Timestamp.optional(),
    }),
    answers: { 201: CreatedSecretKey },
  },
  'GET /v1/secret_keys': {
    auth: 'vendor',
    summary: 'List secret keys, newest first',
    description: 'Revoked keys are included. A test credential sees test keys only.',
    query: z.strictObject(paging(LIST_LIMIT_MAX, LIST_LIMIT_DEFAULT)),
    list: true,
    answers: { 200: list(SecretKey) },
  },
  'GET /v1/secret_keys/{id}': {
    auth: 'vendor',
    summary: 'Read a secret key',
    answers: { 200: SecretKey },
  },
  'POST /v1/secret_keys/{id}/rotate': {
    auth: 'vendor',
    summary: 'Replace a secret key without an outage',
    description: 'Both keys work until the overlap ends; an earlier expiry is never moved later.',
    body: z.strictObject({ overlap_hours: OverlapHours }),
    bodyOptional: true,
    answers: { 200: RotatedSecretKey },
  },
  'POST /v1/secret_keys/{id}/revoke': {
    auth: 'vendor',
    summary: 'Revoke a secret key',
    description: 'Revoking a revoked key changes nothing.',
    body: z.strictObject({ reason: Reason.optional() }),
    bodyOptional: true,
    answers: { 200: SecretKey },
  },
});
