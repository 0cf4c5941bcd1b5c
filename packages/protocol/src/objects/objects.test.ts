// Responses contain every nullable field and no undeclared fields.
import { deepEqual, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { allEndpoints } from '../endpoints/all.ts';
import { SAMPLE_KEY as key } from '../wire/sample-key.ts';
import { ApiKey, CreatedApiKey, RevokedApiKey, RotatedApiKey } from './api-key.ts';
import { AuditLog } from './audit.ts';
import { PolicyChange } from './policy.ts';
import { WireMonth, WireTime } from './wire.ts';

const id = '0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b';
const at = '2025-01-31T10:00:00.000Z';
const hash = '0'.repeat(64);

test('a key in a response has all of its fields, including those that are null', () => {
  ok(ApiKey.safeParse(key).success);
  for (const field of Object.keys(key)) {
    const rest = Object.entries(key).filter(([name]) => name !== field);
    ok(!ApiKey.safeParse(Object.fromEntries(rest)).success, field);
  }
});

test('the full key appears only in the response to creating or rotating a key', () => {
  const shown = { ...key, key: 'kr_live_…', key_shown_once: true };
  ok(!ApiKey.safeParse(shown).success);
  ok(CreatedApiKey.safeParse(shown).success);
  ok(RotatedApiKey.safeParse({ ...shown, previous_key: key }).success);
  ok(!RotatedApiKey.safeParse({ ...shown, previous_key: shown }).success);
});

test('a revoked key may include propagation, but does not have to', () => {
  const propagation = {
    version: 7,
    complete: true,
    incomplete_reason: null,
    waited_ms: 12,
    acked_nodes: 1,
    total_nodes: 1,
    silent_nodes: 0,
    nodes: [
      {
        node_id: 'n1',
        env_scope: 'all',
        version: 7,
        acked: true,
        acked_after_ms: 12,
        last_seen_at: at,
      },
    ],
    receipt: null,
  };
  ok(RevokedApiKey.safeParse(key).success);
  ok(RevokedApiKey.safeParse({ ...key, propagation }).success);
});

test("an audit entry's actor may be an object, null or missing", () => {
  const row = {
    object: 'audit_log',
    id,
    seq: 1,
    occurred_at: at,
    actor_type: 'system',
    actor_id: null,
    action: 'workspace.created',
    target_type: 'workspace',
    target_id: id,
    payload: { slug: 'acme' },
    prev_hash: hash,
    hash,
  };
  ok(AuditLog.safeParse(row).success);
  ok(AuditLog.safeParse({ ...row, actor: null }).success);
  const actor = { id, email: 'a@b.co', email_verified: true, name: null };
  ok(AuditLog.safeParse({ ...row, actor_type: 'user', actor_id: id, actor }).success);
});

test('a removed key in the feed has only a reason and the fields that identify it', () => {
  const where = { key_id: id, tenant_id: id, env: 'live', lookup_hash: hash };
  ok(PolicyChange.safeParse({ change: 'remove', ...where, reason: 'revoked' }).success);
  ok(!PolicyChange.safeParse({ change: 'remove', ...where }).success);
  ok(!PolicyChange.safeParse({ change: 'upsert', ...where }).success);
});

test('timestamps in responses are in UTC with exactly three fractional digits', () => {
  ok(WireTime.safeParse(at).success);
  for (const text of ['2025-01-31T10:00:00Z', '2025-01-31T10:00:00.000+00:00', `${at}\n`]) {
    ok(!WireTime.safeParse(text).success, text);
  }
  ok(WireMonth.safeParse('2025-01-01').success);
  ok(!WireMonth.safeParse('2025-01-02').success);
});

test('every response object has an object field, except from the probes and POST /v1/workspaces', () => {
  const unnamed: string[] = [];
  for (const [line, { answers }] of Object.entries(allEndpoints)) {
    for (const type of Object.values(answers)) {
      if (type instanceof z.ZodObject && !('object' in type.shape)) unnamed.push(line);
    }
  }
  deepEqual(unnamed, [
    'POST /v1/workspaces',
    'GET /healthz',
    'GET /readyz',
    'GET /readyz',
    'GET /status',
    'GET /.well-known/jwks.json',
  ]);
});
