// Defaults and limits of individual endpoints.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { IngestBatch } from '../objects/ingest.ts';
import { ScannerReport } from '../objects/scanner.ts';
import { allEndpoints } from './all.ts';

const id = '0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b';
const hash = 'a'.repeat(64);
const rule = { id: 'a', limit: 1, window_ms: 1000, algorithm: 'fixed', scope: 'key' };

test('a rotated key keeps working for one day by default', () => {
  deepEqual(allEndpoints['POST /v1/keys/{id}/rotate'].body.parse({}), { overlap_hours: 24 });
});

test('a key list has 50 keys per page and leaves out revoked keys by default', () => {
  deepEqual(allEndpoints['GET /v1/keys'].query.parse({}), { include_revoked: false, limit: 50 });
  deepEqual(allEndpoints['GET /v1/embed/keys'].query.parse({ limit: '100' }), {
    include_revoked: false,
    limit: 100,
  });
  ok(!allEndpoints['GET /v1/embed/keys'].query.safeParse({ limit: '101' }).success);
});

test('lists without a published page size have 1,000 rows per page', () => {
  equal(allEndpoints['GET /v1/tenants'].query.parse({}).limit, 1000);
  ok(!allEndpoints['GET /v1/tenants'].query.safeParse({ limit: '1001' }).success);
});

test("a new key's expiry can be given in any time zone", () => {
  const body = {
    project_id: id,
    tenant_id: id,
    env: 'live',
    expires_at: '2030-01-01T00:00:00+01:00',
  };
  const parsed = allEndpoints['POST /v1/keys'].body.parse(body);
  equal(parsed.expires_at?.toISOString(), '2029-12-31T23:00:00.000Z');
});

test("a request that changes a user's name must include the name, which may be null", () => {
  const { body } = allEndpoints['PATCH /v1/auth/me'];
  deepEqual(body.parse({ name: null }), { name: null });
  ok(!body.safeParse({}).success);
});

test('a key update distinguishes inherited, empty and unchanged rate limits', () => {
  const { body } = allEndpoints['PATCH /v1/keys/{id}'];
  deepEqual(body.parse({}), {});
  deepEqual(body.parse({ rate_limits: null }), { rate_limits: null });
  deepEqual(body.parse({ rate_limits: [] }), { rate_limits: [] });
});

test("a workspace's first key is live by default", () => {
  const { body } = allEndpoints['POST /v1/workspaces'];
  equal(body.parse({ name: 'Acme', slug: 'acme' }).env, 'live');
  ok(!body.safeParse({ name: 'Acme', slug: 'acme', billing_email: null }).success);
});

test("an embed token's scopes must be known, and default to keys:read", () => {
  const { body } = allEndpoints['POST /v1/embed_tokens'];
  const target = { project_id: id, tenant_id: id, env: 'test' };
  deepEqual(body.parse(target).scopes, ['keys:read']);
  const takes = (scopes: string[]) => body.safeParse({ ...target, scopes }).success;
  ok(takes([]));
  ok(takes(['keys:read', 'keys:write', 'key_scope:orders:read']));
  ok(takes([`key_scope:${'a'.repeat(210)}`]));
  ok(takes(Array(32).fill('keys:read')));
  ok(!takes(Array(33).fill('keys:read')));
  for (const scope of ['', 'keys:delete', 'key_scope:', `key_scope:${'a'.repeat(211)}`]) {
    ok(!takes([scope]), scope);
  }
  ok(!body.safeParse({ ...target, origins: [] }).success);
  ok(!body.safeParse({ ...target, origins: Array(21).fill('https://a.io') }).success);
});

test('a rate-limit check has a cost of 1 by default and requires at least one rule', () => {
  const { body } = allEndpoints['POST /v1/ratelimit/check'];
  const target = { project_id: id, env: 'live' };
  deepEqual(body.parse({ ...target, limits: [rule] }), {
    ...target,
    limits: [rule],
    key_id: null,
    tenant_id: null,
    cost: 1,
  });
  for (const cost of [0, 1000]) ok(body.safeParse({ ...target, limits: [rule], cost }).success);
  for (const cost of [-1, 1001, 0.5, '1']) {
    ok(!body.safeParse({ ...target, limits: [rule], cost }).success);
  }
  ok(!body.safeParse({ ...target, limits: [] }).success);
  equal(
    body.safeParse({ ...target, limits: [rule, rule] }).error?.issues[0]?.message,
    'rate limit ids must be unique',
  );
});

test('an idempotency claim is kept for one day by default, and for one week at most', () => {
  const { body } = allEndpoints['POST /v1/idempotency/claim'];
  const claim = { scope_hash: hash, fingerprint: hash, env: 'live' };
  equal(body.parse(claim).ttl_ms, 86_400_000);
  for (const ttl_ms of [60_000, 604_800_000]) ok(body.safeParse({ ...claim, ttl_ms }).success);
  for (const ttl_ms of [59_999, 604_800_001]) ok(!body.safeParse({ ...claim, ttl_ms }).success);
});

test('a response is stored only if it could be sent again as valid HTTP', () => {
  const { body } = allEndpoints['POST /v1/idempotency/complete'];
  const held = { scope_hash: hash, env: 'live', lock_token: 'x'.repeat(8), status: 200 };
  const takes = (over: object) => body.safeParse({ ...held, ...over }).success;

  deepEqual(body.parse(held), { ...held, headers: {}, body: null, ttl_ms: 86_400_000 });
  ok(takes({ headers: { 'Content-Type': 'text/plain', 'x-e': '' } }));
  ok(takes({ headers: { ['a'.repeat(128)]: 'b'.repeat(4096) } }));
  ok(!takes({ headers: { ['a'.repeat(129)]: '' } }));
  ok(!takes({ headers: { a: 'b'.repeat(4097) } }));
  for (const value of ['a\r\nb', 'a\nb', 'a\u0000', '€']) ok(!takes({ headers: { a: value } }));
  for (const name of ['', 'a b', 'a:', 'a\n', 'ä']) ok(!takes({ headers: { [name]: '' } }), name);

  for (const text of ['', 'QQ==', 'QUI=', 'QUJD', '+/+/']) ok(takes({ body: text }), text);
  for (const text of ['Q', 'QQ', 'QQ=', '=QQ=', 'Q===', 'QU-_', 'QU I', '====']) {
    ok(!takes({ body: text }), text);
  }
  ok(takes({ body: 'A'.repeat(6_291_456) }));
  ok(!takes({ body: 'A'.repeat(6_291_460) }));

  for (const status of [100, 599]) ok(takes({ status }));
  for (const status of [99, 600, 200.5]) ok(!takes({ status }));
  ok(takes({ lock_token: 'x'.repeat(64) }));
  for (const count of [7, 65]) ok(!takes({ lock_token: 'x'.repeat(count) }));
});

const event = {
  ts: '2025-01-31T10:00:00.000Z',
  project_id: id,
  env: 'live',
  tenant_id: null,
  key_id: id,
  display_prefix: 'kr_live_abcdef',
  method: 'GET',
  path: '/orders',
  route: '/orders',
  status: 200,
  duration_ms: 1.5,
  degraded: false,
  denial_reason: null,
  request_id: 'r1',
};
const batch = {
  object: 'ingest_batch',
  protocol_version: 1,
  node_id: 'node-1',
  sdk: { name: 'keyrail-node', version: '1.0.0' },
  events: [event],
};

test('unknown fields in a telemetry batch are ignored', () => {
  const parsed = IngestBatch.parse({ ...batch, shiny: 1, events: [{ ...event, colour: 'red' }] });
  equal(parsed.events.length, 1);
  equal(parsed.events_dropped, 0);
  equal(parsed.sample_rate, 1);
  ok(!('colour' in (parsed.events[0] ?? {})));
});

test('a batch with values that would distort metrics is rejected', () => {
  const takes = (over: object) => IngestBatch.safeParse({ ...batch, ...over }).success;
  const takesEvent = (over: object) => takes({ events: [{ ...event, ...over }] });
  ok(takes({ events: [] }));
  ok(takes({ events: Array(5000).fill(event) }));
  ok(!takes({ events: Array(5001).fill(event) }));
  ok(!takes({ protocol_version: 2 }));
  ok(!takes({ node_id: 'a b' }));
  ok(!takes({ events_dropped: -1 }));
  for (const sample_rate of [Number.MIN_VALUE, 0.000_000_001, 0.25, 1])
    ok(takesEvent({ sample_rate }));
  for (const sample_rate of [0, -1, 1.1]) ok(!takesEvent({ sample_rate }));
  ok(!takesEvent({ ts: '2025-02-30T10:00:00Z' }));
  ok(!takesEvent({ path: '/\u0000' }));
  ok(!takesEvent({ status: 99 }));
});

test('unknown fields in a scanner report are ignored', () => {
  const report = { token: 'kr_live_x', type: 'keyrail_key', url: '', source: 'commit' };
  ok(ScannerReport.safeParse([report, { ...report, extra: 1 }]).success);
  ok(ScannerReport.safeParse([{ token: 'x', type: 'y' }]).success);
  for (const body of [{}, [1], [{ type: 'y' }], null]) ok(!ScannerReport.safeParse(body).success);
});
