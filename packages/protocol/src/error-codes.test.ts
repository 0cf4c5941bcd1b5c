// The closed list of refusals.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { denialCodes, errorCodes, wireCode } from './error-codes.ts';
import { ErrorBody } from './objects/error-body.ts';

test('every refusal has the status that callers rely on', () => {
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
    '403 insufficient_scope',
    '404 not_found',
    '405 method_not_allowed',
    '409 conflict',
    '413 payload_too_large',
    '413 snapshot_too_large',
    '415 unsupported_media_type',
    '429 rate_limited',
    '500 internal_error',
    '503 unavailable',
  ]);
});

test('an embed token is refused under the same name as a one-time token', () => {
  equal(wireCode('invalid_embed_token'), 'invalid_token');
  equal(wireCode('conflict'), 'conflict');
});

test('the two ways out of an oversized snapshot are in its message', () => {
  ok(errorCodes.snapshot_too_large.message.includes('max_keys'));
  ok(errorCodes.snapshot_too_large.message.includes('tenant_id'));
});

test('a denial by the SDK that shares a name with a refusal shares its status', () => {
  equal(denialCodes.invalid_key.status, errorCodes.invalid_key.status);
  equal(denialCodes.insufficient_scope.status, errorCodes.insufficient_scope.status);
  equal(denialCodes.rate_limited.status, errorCodes.rate_limited.status);
});

test('a refusal may name fields and missing scopes, and nothing else', () => {
  const error = { code: 'forbidden', message: 'No.' };
  ok(ErrorBody.safeParse({ error }).success);
  ok(
    ErrorBody.safeParse({ error: { ...error, details: [{ path: 'a.0', message: 'b' }] } }).success,
  );
  ok(ErrorBody.safeParse({ error: { ...error, missing_scopes: ['read'] } }).success);
  ok(!ErrorBody.safeParse({ error: { ...error, stack: 'at …' } }).success);
});
