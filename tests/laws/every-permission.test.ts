// Every endpoint accepts a secret key if and only if the key has the permission that the endpoint
// declares, the request is within the key's projects, and it comes from one of the key's networks.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { accepts } from '@keyrail/protocol/wire/auth.ts';
import { permissions, profileNames, profiles } from '@keyrail/protocol/wire/permissions.ts';
import { type Harness, harness, type Input, refused } from '@keyrail/testing/harness.ts';
import { anyIds, endpointOf, fixtureOf, served } from './lines.ts';

const takesSecretKey = served.filter((line) =>
  (accepts[endpointOf(line).auth] as readonly string[]).includes('secret_key'),
);

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

const limited = async ({ as }: Harness, limits: Input): Promise<{ id: string; key: string }> =>
  as.liveKey('POST /v1/secret_keys', { env: 'live', ...limits });

type Refusal = { error?: { code?: string; missing_permissions?: string[] } };

/** The permissions that a response says are missing; null if none are. */
const missingIn = (body: unknown): string[] | null =>
  (body as Refusal | undefined)?.error?.missing_permissions ?? null;

test('every endpoint rejects a key that has only a different permission, before it reads anything', async (t) => {
  const app = await harness(t);
  for (const permission of permissions) {
    const { key } = await limited(app, { permissions: [permission] });
    for (const line of takesSecretKey) {
      const needed = endpointOf(line).permission;
      const answer = await app.ask(line, anyIds(line), bearer(key));
      const missing = needed === null || needed === permission ? null : [needed];
      deepEqual(missingIn(answer.body), missing, `${line} with ${permission}`);
      if (missing) equal(answer.status, 403, line);
    }
  }
});

test("a key with only an endpoint's declared permission can call that endpoint", async (t) => {
  const app = await harness(t);
  for (const line of takesSecretKey) {
    const { permission } = endpointOf(line);
    const { key } = await limited(app, permission ? { permissions: [permission] } : {});
    const input = await fixtureOf(line).input(app);
    const answer = await app.ask(line, input, bearer(key));
    ok(answer.status < 400 || canGiveMore(line), `${line} ${answer.status}`);
  }
});

/**
 * Endpoints that require more than their declared permission, because otherwise a caller could
 * create a key that can do more than the caller's own.
 */
const canGiveMore = (line: string): boolean => /^(?:POST|PATCH) \/v1\/secret_keys/.test(line);

for (const name of profileNames) {
  test(`a key with the profile ${name} can call exactly the endpoints that its permissions allow`, async (t) => {
    const app = await harness(t);
    const { key } = await limited(app, { profile: name });
    const reached: string[] = [];
    for (const line of takesSecretKey) {
      const answer = await app.ask(line, anyIds(line), bearer(key));
      if (missingIn(answer.body) === null) reached.push(line);
    }
    const held: readonly (string | null | undefined)[] = [null, ...profiles[name]];
    deepEqual(
      reached,
      takesSecretKey.filter((line) => held.includes(endpointOf(line).permission)),
    );
  });
}

test('every endpoint rejects a key used from outside its networks', async (t) => {
  const app = await harness(t);
  const { key } = await limited(app, { networks: ['203.0.113.0/24'] });
  for (const line of takesSecretKey) {
    await refused(app.as.token(key)(line, anyIds(line)), 403, 'network_not_allowed');
  }
});

test('a key limited to another project can neither read nor change anything in this one', async (t) => {
  const app = await harness(t);
  const other = await app.given.project();
  const { key } = await limited(app, { project_ids: [other.id] });
  const shared = await sharedIds(app);
  for (const line of takesSecretKey) {
    const input = await fixtureOf(line).input(app);
    const { head_hash: before } = await app.as.liveKey('GET /v1/audit_logs/chain');
    const answer = await app.ask(line, input, bearer(key));
    const text = JSON.stringify(answer.body ?? null);
    for (const id of Object.values(input).filter((value) => typeof value === 'string')) {
      if (answer.status >= 400 || shared.has(line) || id.length < 36) continue;
      ok(!text.includes(id), `${line} shows ${id}`);
    }
    const { head_hash: after } = await app.as.liveKey('GET /v1/audit_logs/chain');
    if (!shared.has(line)) equal(after, before, `${line} ${answer.status} changed something`);
  }
});

/** Endpoints for data that all projects share, which a key limited to a project may use. */
const sharedIds = async (_: Harness): Promise<Set<string>> =>
  new Set([
    'POST /v1/tenants',
    'GET /v1/tenants',
    'GET /v1/tenants/{id}',
    'POST /v1/idempotency/claim',
    'POST /v1/idempotency/complete',
    'POST /v1/idempotency/release',
    'POST /v1/idempotency/heartbeat',
  ]);
