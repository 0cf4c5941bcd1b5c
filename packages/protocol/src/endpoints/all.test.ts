// The list of endpoints, and the rules that apply to all of them.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { type Endpoint, splitLine } from '../endpoint.ts';
import { ownerPermissions, type Permission, permissions } from '../wire/permissions.ts';
import { allEndpoints, endpointGroups } from './all.ts';

// Written by hand, so that no endpoint is removed or renamed by accident.
const LINES = [
  'POST /v1/auth/users',
  'POST /v1/auth/sessions',
  'GET /v1/auth/me',
  'PATCH /v1/auth/me',
  'POST /v1/auth/me/password',
  'GET /v1/auth/sessions',
  'DELETE /v1/auth/sessions/current',
  'DELETE /v1/auth/sessions/{id}',
  'POST /v1/auth/sessions/current/workspace',
  'POST /v1/auth/email_verifications',
  'POST /v1/auth/email_verifications/consume',
  'POST /v1/auth/password_resets',
  'POST /v1/auth/password_resets/consume',
  'POST /v1/auth/invites/accept',
  'POST /v1/workspaces',
  'GET /v1/workspace',
  'PATCH /v1/workspace',
  'GET /v1/members',
  'PATCH /v1/members/{userId}',
  'DELETE /v1/members/{userId}',
  'POST /v1/invites',
  'GET /v1/invites',
  'POST /v1/invites/{id}/revoke',
  'POST /v1/projects',
  'GET /v1/projects',
  'GET /v1/projects/{id}',
  'PATCH /v1/projects/{id}',
  'DELETE /v1/projects/{id}',
  'POST /v1/tenants',
  'GET /v1/tenants',
  'GET /v1/tenants/{id}',
  'PATCH /v1/tenants/{id}',
  'POST /v1/tenants/{id}/embed_tokens/revoke',
  'DELETE /v1/tenants/{id}',
  'POST /v1/keys',
  'GET /v1/keys',
  'GET /v1/keys/{id}',
  'PATCH /v1/keys/{id}',
  'POST /v1/keys/{id}/rotate',
  'POST /v1/keys/{id}/revoke',
  'GET /v1/keys/{id}/usage',
  'POST /v1/secret_keys',
  'GET /v1/secret_keys',
  'GET /v1/secret_keys/{id}',
  'POST /v1/secret_keys/{id}/rotate',
  'POST /v1/secret_keys/{id}/revoke',
  'POST /v1/embed_tokens',
  'GET /v1/embed/session',
  'GET /v1/embed/keys',
  'POST /v1/embed/keys',
  'POST /v1/embed/keys/{id}/rotate',
  'POST /v1/embed/keys/{id}/revoke',
  'GET /v1/embed/keys/{id}/usage',
  'GET /v1/policy/snapshot',
  'GET /v1/policy/delta',
  'POST /v1/ratelimit/check',
  'POST /v1/idempotency/claim',
  'POST /v1/idempotency/complete',
  'POST /v1/idempotency/release',
  'POST /v1/idempotency/heartbeat',
  'POST /v1/ingest/batch',
  'GET /v1/usage/billing',
  'GET /v1/usage/tenants',
  'GET /v1/environments',
  'GET /v1/audit_logs',
  'GET /v1/audit_logs/chain',
  'GET /healthz',
  'GET /readyz',
  'GET /status',
  'GET /.well-known/jwks.json',
  'POST /v1/webhooks/scanner/secret_scanning',
];

// Endpoints added after the contract was published. List new endpoints here, not above.
const FURTHER = [
  'POST /v1/keys/import',
  'POST /v1/auth/invites/preview',
  'GET /v1/workspace/summary',
  'GET /v1/keys/counts',
  'POST /v1/keys/{id}/disable',
  'POST /v1/keys/{id}/enable',
  'POST /v1/keys/explain',
  'GET /v1/policy/nodes',
  'POST /v1/policy/report',
  'GET /v1/usage/keys',
  'GET /v1/usage/overview',
  'GET /v1/audit_logs/anchor',
  'POST /v1/webhook_endpoints',
  'GET /v1/webhook_endpoints',
  'GET /v1/webhook_endpoints/{id}',
  'PATCH /v1/webhook_endpoints/{id}',
  'DELETE /v1/webhook_endpoints/{id}',
  'POST /v1/webhook_endpoints/{id}/rotate_secret',
  'POST /v1/webhook_endpoints/{id}/test',
  'GET /v1/webhook_endpoints/{id}/deliveries',
  'POST /v1/webhook_deliveries/{id}/retry',
  'GET /v1/deployment',
  'POST /v1/ratelimit/lease',
  'POST /v1/ratelimit/return',
  'GET /v1/secret_keys/current',
  'GET /v1/secret_keys/{id}/usage',
  'PATCH /v1/secret_keys/{id}',
  'GET /v1/search',
];

const all: [string, Endpoint][] = Object.entries(allEndpoints);

test('the published endpoints exist in their published order, and later endpoints are listed separately', () => {
  equal(LINES.length, 71);
  deepEqual(
    Object.keys(allEndpoints).filter((line) => !FURTHER.includes(line)),
    LINES,
  );
  for (const line of FURTHER) ok(line in allEndpoints, line);
});

test('every endpoint is in exactly one group', () => {
  deepEqual(
    Object.values(endpointGroups).flatMap((group) => Object.keys(group)),
    Object.keys(allEndpoints),
  );
});

test('every body and every query rejects unknown fields', () => {
  for (const [line, { query, body }] of all) {
    for (const type of [query, body]) {
      if (!type || type === 'raw') continue;
      const issues = type.safeParse({ expire_at: 'x' }).error?.issues ?? [];
      ok(
        issues.some((issue) => issue.code === 'unrecognized_keys'),
        line,
      );
    }
  }
});

test('a body is optional only if none of its fields is required', () => {
  for (const [line, { body, bodyOptional }] of all) {
    const needsNothing = body !== undefined && body !== 'raw' && body.safeParse({}).success;
    equal(bodyOptional ?? false, needsNothing, line);
  }
});

test('only the listed fields accept null', () => {
  const nullable: string[] = [];
  for (const [line, { query, body }] of all) {
    for (const type of [query, body]) {
      if (!(type instanceof z.ZodObject)) continue;
      for (const [field, inner] of Object.entries(type.shape)) {
        if (inner.safeParse(null).success) nullable.push(`${line} ${field}`);
      }
    }
  }
  deepEqual(nullable, [
    'PATCH /v1/auth/me name',
    'PATCH /v1/workspace billing_email',
    'PATCH /v1/tenants/{id} name',
    'PATCH /v1/keys/{id} name',
    'PATCH /v1/keys/{id} rate_limits',
    'PATCH /v1/keys/{id} expires_at',
    'PATCH /v1/secret_keys/{id} name',
    'PATCH /v1/secret_keys/{id} expires_at',
    'PATCH /v1/secret_keys/{id} permissions',
    'PATCH /v1/secret_keys/{id} project_ids',
    'PATCH /v1/secret_keys/{id} networks',
    'POST /v1/ratelimit/check key_id',
    'POST /v1/ratelimit/check tenant_id',
    'POST /v1/ratelimit/lease key_id',
    'POST /v1/ratelimit/lease tenant_id',
    'POST /v1/ratelimit/return key_id',
    'POST /v1/ratelimit/return tenant_id',
    'POST /v1/idempotency/complete body',
    'POST /v1/webhook_endpoints env',
    'POST /v1/webhook_endpoints description',
    'PATCH /v1/webhook_endpoints/{id} env',
    'PATCH /v1/webhook_endpoints/{id} description',
  ]);
});

/** An exception: this endpoint returns only the best results, without paging. */
const SEARCH = 'GET /v1/search';

test('every list can be paged, and no other response can', () => {
  for (const [line, { list, query, answers }] of all.filter(([line]) => line !== SEARCH)) {
    const answer = answers[200];
    const isList = answer instanceof z.ZodObject && answer.safeParse(emptyList).success;
    equal(list ?? false, isList, line);
    if (list) ok(query?.shape.limit && query.shape.cursor, line);
  }
});

test("only the endpoint that returns the caller's own secret key requires no permission", () => {
  const open = all.filter(([, { permission }]) => permission === null).map(([line]) => line);
  deepEqual(open, ['GET /v1/secret_keys/current']);
});

test('every permission is required by an endpoint, and owner permissions only by owner-only endpoints', () => {
  const needing = (name: Permission) =>
    all.filter(([, { permission }]) => permission === name).map(([, { role }]) => role);
  for (const name of permissions) ok(needing(name).length > 0, name);
  deepEqual(
    permissions.filter((name) => needing(name).every((role) => role === 'owner')),
    ownerPermissions,
  );
});

const emptyList = { object: 'list', data: [] };

test('GET and DELETE accept no body, and every endpoint declares exactly one 2xx status', () => {
  for (const [line, { body, answers }] of all) {
    const { method } = splitLine(line);
    if (method === 'GET' || method === 'DELETE') equal(body, undefined, line);
    const bodies = Object.keys(answers).filter((status) => status.startsWith('2'));
    equal(bodies.length, 1, line);
  }
});

test('only changes to members and invitations require an owner', () => {
  const owned = all.filter(([, { role }]) => role === 'owner').map(([line]) => line);
  deepEqual(owned, [
    'PATCH /v1/members/{userId}',
    'DELETE /v1/members/{userId}',
    'POST /v1/invites',
    'POST /v1/invites/{id}/revoke',
  ]);
});

test('no embed-plane endpoint accepts a tenant, project or environment', () => {
  for (const [line, { auth, query, body }] of all) {
    if (auth !== 'embed') continue;
    const fields = [query, body].flatMap((type) =>
      type instanceof z.ZodObject ? Object.keys(type.shape) : [],
    );
    for (const field of ['tenant_id', 'project_id', 'env']) ok(!fields.includes(field), line);
  }
});
