// The hand-written JSON in the response to `POST /v1/verify`.
import { deepEqual } from 'node:assert/strict';
import { test } from 'node:test';
import { type Verified, verifiedText } from './verify-call.ts';

const ODD = [
  '',
  'plain',
  'a "quoted" \\ text',
  'line\nbreak\t\u0000',
  'Zürich ✓ 😀',
  '\ud800',
  '</script>\u2028',
];

const answerWith = (text: string): Verified => ({
  allowed: true,
  reason: null,
  status: 200,
  context: {
    keyId: 'k',
    workspaceId: 'w',
    projectId: text,
    tenantId: 't',
    tenantExternalId: text,
    env: 'live',
    scopes: new Set([text, 'b']),
    displayPrefix: text,
    expiresAt: 1_800_000_000_123,
    degraded: false,
    verified: true,
    rateLimit: [{ id: 'a', limit: 1, windowMs: 2, remaining: 0, resetMs: 1 }],
    resources: { secret: 'of the vendor' },
  },
  headers: { RateLimit: text },
});

for (const text of ODD) {
  test(`every field of the response is escaped: ${JSON.stringify(text)}`, () => {
    deepEqual(JSON.parse(verifiedText(answerWith(text))), {
      allowed: true,
      reason: null,
      status: 200,
      context: {
        key_id: 'k',
        workspace_id: 'w',
        project_id: text,
        tenant_id: 't',
        tenant_external_id: text,
        env: 'live',
        scopes: [text, 'b'],
        display_prefix: text,
        expires_at: '2027-01-15T08:00:00.123Z',
        verified: true,
        degraded: false,
        rate_limit: [{ id: 'a', limit: 1, windowMs: 2, remaining: 0, resetMs: 1 }],
      },
      headers: { RateLimit: text },
    });
  });
}

test('a denial has a reason and no context', () => {
  const refusal = { allowed: false, reason: 'expired', status: 401, context: null, headers: {} };
  deepEqual(JSON.parse(verifiedText(refusal)), refusal);
});
