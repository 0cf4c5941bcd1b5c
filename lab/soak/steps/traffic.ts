// Steps that call the most frequently used endpoints, for idempotency, rate limits and telemetry,
// and steps that use revoked secret keys.
import { createHash } from 'node:crypto';
import { systemClock } from '@keyrail/server/base/clock.ts';
import { batchOf, eventOf } from '@keyrail/testing/telemetry.ts';
import { isOk, textOf } from '../history.ts';
import type { Step } from '../plan.ts';
import { oneOf, send, type World } from '../world.ts';

const SCOPES = 40;
const COUNTERS = 6;
export const LIMIT = 25;
export const WINDOW_MS = 2_000;
const HASHED = (text: string) => createHash('sha256').update(text).digest('hex');

/**
 * Claims an idempotency scope. Each step claims one of a few scopes, which are replaced from time
 * to time.
 */
export async function claimScope(world: World, client: string, { dice }: Step): Promise<void> {
  const age = Math.floor(world.ops.length / 2_000);
  const scope = `${world.workspaceId} ${age} ${dice[1] % SCOPES}`;
  const isForeign = dice[2] % 10 === 0;
  const place = { scope_hash: HASHED(scope), env: 'live' };
  const claim = await send(world, client, {
    kind: 'scope.claim',
    args: { scope, isForeign },
    method: 'POST',
    path: '/v1/idempotency/claim',
    at: dice[0],
    body: { ...place, fingerprint: HASHED(isForeign ? world.fresh() : scope) },
  });
  const lock = textOf(claim.body, 'lock_token');
  // The first claim of a scope sets its fingerprint. If that fingerprint is wrong, the scope is
  // released, so that claims with the right fingerprint can succeed.
  const isKept = !isForeign && dice[2] % 10 < 8;
  if (claim.body.state !== 'execute') return;
  const answer = Buffer.from(world.fresh()).toString('base64');
  await send(world, client, {
    kind: isKept ? 'scope.complete' : 'scope.release',
    args: { scope, lock, answer },
    method: 'POST',
    path: `/v1/idempotency/${isKept ? 'complete' : 'release'}`,
    at: dice[0] + 1,
    body: {
      ...place,
      lock_token: lock,
      ...(isKept && { status: 201, headers: {}, body: answer }),
    },
  });
}

const limits = [
  { id: 'soak', limit: LIMIT, window_ms: WINDOW_MS, algorithm: 'sliding', scope: 'key' },
];

const checkBody = (world: World, keyId: string) => ({
  project_id: world.projectId,
  env: 'live',
  key_id: keyId,
  tenant_id: null,
  limits,
});

const counterId = (n: number) => `01890000-0000-7000-8000-00000000000${n}`;

export async function checkLimit(world: World, client: string, { dice }: Step): Promise<void> {
  const counter = dice[1] % COUNTERS;
  const checks = Array.from({ length: 1 + (dice[2] % 12) }, (_, n) =>
    send(world, client, {
      kind: 'limit.check',
      args: { counter, limit: LIMIT, window: WINDOW_MS },
      method: 'POST',
      path: '/v1/ratelimit/check',
      at: dice[0] + n,
      body: checkBody(world, counterId(counter)),
    }),
  );
  await Promise.all(checks);
}

/**
 * Creates a secret key, uses it on frequently called and on other endpoints, revokes it, and tries
 * to use it again.
 */
export async function useSecretKey(world: World, client: string, { dice }: Step): Promise<void> {
  const made = await send(world, client, {
    kind: 'secret.create',
    method: 'POST',
    path: '/v1/secret_keys',
    at: dice[0],
    body: { env: 'live', name: world.fresh() },
  });
  if (!isOk(made)) return;
  const id = textOf(made.body, 'id');
  const token = textOf(made.body, 'key');
  const use = async (turn: number) => {
    await send(world, client, {
      kind: 'secret.use',
      args: { id, hot: true },
      method: 'POST',
      path: '/v1/ratelimit/check',
      token,
      at: turn,
      body: checkBody(world, id),
    });
    const args = { id, hot: false };
    await send(world, client, { kind: 'secret.use', args, path: '/v1/workspace', token, at: turn });
  };
  await Promise.all([use(dice[0]), use(dice[0] + 1)]);
  await send(world, client, {
    kind: 'secret.revoke',
    args: { id },
    method: 'POST',
    path: `/v1/secret_keys/${id}/revoke`,
    at: dice[0],
    body: {},
  });
  await Promise.all([use(dice[0]), use(dice[0] + 1)]);
}

export async function sendTelemetry(world: World, client: string, { dice }: Step): Promise<void> {
  const key = oneOf(
    world.keys.filter(({ env }) => env === 'live'),
    dice[1],
  );
  if (!key) return;
  const events = 1 + (dice[2] % 5);
  const place = {
    id: key.id,
    project_id: world.projectId,
    tenant_id: key.tenantId,
    env: 'live',
  } as const;
  await send(world, client, {
    kind: 'ingest.batch',
    args: { key: key.id, events },
    method: 'POST',
    path: '/v1/ingest/batch',
    at: dice[0],
    body: batchOf(Array.from({ length: events }, () => eventOf(place, systemClock.now()))),
  });
}

/**
 * Sends batches that exceed the telemetry budget. Every other batch is invalid, but is still
 * charged to the budget.
 */
export async function overspend(world: World, client: string, { dice }: Step): Promise<void> {
  const { secretKey, projectId, tenantId, keyId } = world.spender;
  const events = Math.ceil(world.budget / 4);
  const place = { id: keyId, project_id: projectId, tenant_id: tenantId, env: 'live' } as const;
  const wrong = dice[2] % 2 === 0 ? {} : { status: 'none' };
  await send(world, client, {
    kind: 'budget.batch',
    args: { events, budget: world.budget },
    method: 'POST',
    path: '/v1/ingest/batch',
    token: secretKey,
    at: dice[0],
    body: batchOf(Array.from({ length: events }, () => eventOf(place, systemClock.now(), wrong))),
  });
}
