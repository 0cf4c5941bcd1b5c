// Fixtures for the hot endpoints, which nodes call constantly. Calls append no audit rows, and
// their input specifies the environment.
import { createHash, randomUUID } from 'node:crypto';
import type { Harness, Input } from '@keyrail/testing/harness.ts';
import { batchOf, eventOf } from '@keyrail/testing/telemetry.ts';
import type { Fixture } from './fixtures.ts';

const hot = (input: (app: Harness, env: 'live' | 'test') => Promise<Input> | Input): Fixture => ({
  caller: 'liveKey',
  input: (app) => input(app, 'test'),
  audits: [],
  beyond: (app) => input(app, 'live'),
});

let scopes = 0;

/** A new scope hash. */
export function newScope(): string {
  scopes += 1;
  return createHash('sha256').update(`${process.pid} ${scopes}`).digest('hex');
}

/** Claims a scope, and returns the input with its lock token. */
const app =
  (more: Input = {}) =>
  async ({ as }: Harness, env: 'live' | 'test'): Promise<Input> => {
    const scope = { scope_hash: newScope(), env };
    const claim = { ...scope, fingerprint: newScope() };
    const { lock_token } = await as.liveKey('POST /v1/idempotency/claim', claim);
    return { ...scope, lock_token, ...more };
  };

const limited = async ({ given }: Harness, env: 'live' | 'test'): Promise<Input> => ({
  project_id: (await given.project()).id,
  key_id: randomUUID(),
  tenant_id: (await given.tenant()).id,
  env,
  limits: [
    { id: 'burst', limit: 1000, window_ms: 1000, algorithm: 'fixed', scope: 'key' },
    { id: 'day', limit: 100_000, window_ms: 86_400_000, algorithm: 'sliding', scope: 'tenant' },
  ],
});

export const hotFixtures = {
  'POST /v1/policy/report': hot(async ({ given }, env) => ({
    project_id: (await given.project()).id,
    env,
    nodes: [{ node_id: 'behind-a-relay', version: 1, sdk: '@keyrail/sdk/1.0.0' }],
  })),
  'POST /v1/ratelimit/check': hot(limited),
  'POST /v1/ratelimit/lease': hot(async (app, env) => ({ ...(await limited(app, env)), want: 10 })),
  'POST /v1/ratelimit/return': hot(async (app, env) => {
    const input = await limited(app, env);
    const { lease_id } = await app.as.liveKey('POST /v1/ratelimit/lease', { ...input, want: 10 });
    return { ...input, lease_id, unused: 4 };
  }),
  'POST /v1/idempotency/claim': hot((_, env) => ({
    scope_hash: newScope(),
    fingerprint: newScope(),
    env,
  })),
  'POST /v1/idempotency/complete': hot(
    app({ status: 201, headers: { 'content-type': 'application/json' }, body: 'e30=' }),
  ),
  'POST /v1/idempotency/release': hot(app()),
  'POST /v1/idempotency/heartbeat': hot(app()),
  'POST /v1/ingest/batch': hot(async ({ given, clock }, env) =>
    batchOf([eventOf(await given.key({ env }), clock.now())]),
  ),
} satisfies Record<string, Fixture>;
