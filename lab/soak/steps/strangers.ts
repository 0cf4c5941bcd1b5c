// Steps that must be denied: reading another workspace, and writing live data with a test key.
import type { Step } from '../plan.ts';
import { oneOf, send, type World } from '../world.ts';

export async function readForeign(world: World, client: string, { dice }: Step): Promise<void> {
  const { canary, paths } = world.foreign;
  const lists = ['/v1/projects', '/v1/tenants', '/v1/keys?include_revoked=true', '/v1/secret_keys'];
  const isList = dice[2] % 3 === 0;
  const path = oneOf(isList ? lists : paths, dice[1]) ?? '';
  await send(world, client, {
    kind: 'stranger.read',
    args: { canary, path, isList },
    path,
    at: dice[0],
  });
}

export async function overreach(world: World, client: string, { dice }: Step): Promise<void> {
  const tenantId = oneOf(world.tenants, dice[1]) ?? '';
  const live = oneOf(
    world.keys.filter(({ env }) => env === 'live'),
    dice[1],
  );
  const key = { project_id: world.projectId, tenant_id: tenantId, env: 'live' };
  const attempts = [
    { what: 'create a live key', method: 'POST', path: '/v1/keys', body: key },
    { what: 'delete a tenant', method: 'DELETE', path: `/v1/tenants/${tenantId}` },
    { what: 'revoke a live key', method: 'POST', path: `/v1/keys/${live?.id}/revoke`, body: {} },
    { what: 'delete the project', method: 'DELETE', path: `/v1/projects/${world.projectId}` },
    {
      what: 'create a live secret key',
      method: 'POST',
      path: '/v1/secret_keys',
      body: { env: 'live' },
    },
  ] as const;
  const chosen = attempts[dice[2] % attempts.length] ?? attempts[0];
  const { what, ...request } = chosen;
  await send(world, client, {
    kind: 'test.write',
    args: { what },
    token: world.testKey,
    at: dice[0],
    ...request,
  });
}
