// Error codes and error bodies.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { ErrorBody } from '../objects/error-body.ts';
import { denialCodes } from './denials.ts';
import { errorCodes, wireCode } from './error-codes.ts';

test('every error code has its published status', () => {
  const statuses = Object.entries(errorCodes).map(([code, { status }]) => `${status} ${code}`);
  deepEqual(statuses, [
    '400 invalid_request',
    '400 invalid_token',
    '401 missing_credential',
    '401 invalid_key',
    '401 invalid_session',
    '401 invalid_embed_token',
    '401 invalid_credentials',
    '401 invalid_signature',
    '403 forbidden',
    '403 no_active_workspace',
    '403 email_unverified',
    '403 origin_not_allowed',
    '403 network_not_allowed',
    '403 insufficient_scope',
    '404 not_found',
    '405 method_not_allowed',
    '409 conflict',
    '409 other_workspace',
    '409 idempotency_in_progress',
    '413 payload_too_large',
    '413 snapshot_too_large',
    '415 unsupported_media_type',
    '422 idempotency_mismatch',
    '429 rate_limited',
    '500 internal_error',
    '503 unavailable',
  ]);
});

test('rejected embed tokens and rejected one-time tokens have the same error code', () => {
  equal(wireCode('invalid_embed_token'), 'invalid_token');
  equal(wireCode('conflict'), 'conflict');
});

test('the error for an oversized snapshot suggests both max_keys and tenant_id', () => {
  ok(errorCodes.snapshot_too_large.message.includes('max_keys'));
  ok(errorCodes.snapshot_too_large.message.includes('tenant_id'));
});

test('a code used by both the SDK and the server has the same status in both', () => {
  equal(denialCodes.invalid_key.status, errorCodes.invalid_key.status);
  equal(denialCodes.insufficient_scope.status, errorCodes.insufficient_scope.status);
  equal(denialCodes.rate_limited.status, errorCodes.rate_limited.status);
});

test('an error body can have details, missing scopes or permissions, and an outcome, but no other fields', () => {
  const error = { code: 'forbidden', message: 'No.' };
  ok(ErrorBody.safeParse({ error }).success);
  ok(
    ErrorBody.safeParse({ error: { ...error, details: [{ path: 'a.0', message: 'b' }] } }).success,
  );
  ok(ErrorBody.safeParse({ error: { ...error, missing_scopes: ['read'] } }).success);
  ok(ErrorBody.safeParse({ error: { ...error, missing_permissions: ['keys:read'] } }).success);
  ok(ErrorBody.safeParse({ error: { ...error, outcome: 'not_done' } }).success);
  ok(!ErrorBody.safeParse({ error: { ...error, outcome: 'done' } }).success);
  ok(!ErrorBody.safeParse({ error: { ...error, stack: 'at …' } }).success);
});
