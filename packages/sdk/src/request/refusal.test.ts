import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { ErrorBody } from '@keyrail/protocol/objects/error-body.ts';
import { type DenialReason, denialCodes, refuseKey } from '@keyrail/protocol/wire/denials.ts';
import { errorCodes } from '@keyrail/protocol/wire/error-codes.ts';
import { type RefusalCode, refuse } from './refusal.ts';

const said = (code: RefusalCode) => {
  const { status, body } = refuse(code);
  return { status, message: JSON.parse(body).error.message };
};

test('every denial has the documented status and message', () => {
  for (const [code, expected] of Object.entries(denialCodes)) {
    deepEqual(said(code as RefusalCode), expected, code);
  }
  for (const code of ['invalid_request', 'payload_too_large', 'unavailable'] as const) {
    deepEqual(said(code), errorCodes[code], code);
  }
});

const expected: Record<DenialReason, string> = {
  missing_key: '401 missing_key',
  malformed_key: '401 invalid_key',
  unknown_key: '401 invalid_key',
  expired: '401 expired_key',
  wrong_environment: '403 wrong_environment',
  insufficient_scope: '403 insufficient_scope',
  rate_limited: '429 rate_limited',
  policy_unavailable: '503 policy_unavailable',
  project_deleted: '401 invalid_key',
};

for (const [reason, answer] of Object.entries(expected)) {
  test(`${reason} gets the response ${answer}`, () => {
    const missing = reason === 'insufficient_scope' ? ['invoices:write'] : [];
    const { status, headers, body } = refuseKey(reason as DenialReason, missing);
    const { error } = ErrorBody.parse(JSON.parse(body));
    equal(`${status} ${error.code}`, answer);
    deepEqual(error.missing_scopes, missing.length > 0 ? missing : undefined);
    equal(headers['www-authenticate'], status === 401 ? 'Bearer' : undefined);
    equal(headers['cache-control'], 'no-store');
    equal(headers['retry-after'], status === 503 ? '1' : undefined);
  });
}

test('Retry-After is in whole seconds and never zero', () => {
  const after = (retryAfterSeconds: number | null) =>
    refuse('rate_limited', { retryAfterSeconds }).headers['retry-after'];
  equal(after(0), '1');
  equal(after(1.2), '2');
  equal(after(null), undefined);
});
