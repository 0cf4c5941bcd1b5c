// Steps that use tenants, projects, and tenants' embed tokens.
import { isOk, textOf } from '../history.ts';
import type { Step } from '../plan.ts';
import { oneOf, send, type World } from '../world.ts';
import { createFor } from './keys.ts';

export const ORIGIN = 'https://app.customer.example';

const created = (world: World, client: string, { name, at }: { name: string; at: number }) =>
  send(world, client, {
    kind: 'tenant.create',
    args: { external_id: name },
    method: 'POST',
    path: '/v1/tenants',
    at,
    body: { external_id: name },
  });

/** Two concurrent requests create a tenant with the same external ID. */
export async function raceTenants(world: World, client: string, { dice }: Step): Promise<void> {
  const name = world.fresh();
  await Promise.all([
    created(world, client, { name, at: dice[0] }),
    created(world, `${client}'`, { name, at: dice[0] + 1 }),
  ]);
}

/** Deletes a tenant that has keys, while another key is created for it. */
export async function deleteTenant(world: World, client: string, { dice }: Step): Promise<void> {
  const made = await created(world, client, { name: world.fresh(), at: dice[0] });
  if (!isOk(made)) return;
  const id = textOf(made.body, 'id');
  await createFor(world, client, { tenantId: id, dice });
  const use = await embedUseOf(world, client, { tenantId: id, at: dice[0] });
  await Promise.all([
    send(world, client, {
      kind: 'tenant.delete',
      args: { id },
      method: 'DELETE',
      path: `/v1/tenants/${id}`,
      at: dice[0],
    }),
    createFor(world, `${client}'`, { tenantId: id, dice: [dice[0] + 1, dice[1], dice[2]] }),
  ]);
  world.keys = world.keys.filter(({ tenantId }) => tenantId !== id);
  await use?.();
}

export async function changeLimits(world: World, client: string, { dice }: Step): Promise<void> {
  const limit = 1_000 + (dice[1] % 1_000);
  const rule = { id: 'burst', limit, window_ms: 1_000, algorithm: 'sliding', scope: 'key' };
  await send(world, client, {
    kind: 'project.limits',
    args: { id: world.projectId },
    method: 'PATCH',
    path: `/v1/projects/${world.projectId}`,
    at: dice[0],
    body: { name: world.fresh(), default_rate_limits: [rule] },
  });
}

/** Creates an embed token, and returns a function that uses it. */
async function embedUseOf(
  world: World,
  client: string,
  { tenantId, at }: { tenantId: string; at: number },
): Promise<(() => Promise<unknown>) | null> {
  const minted = await send(world, client, {
    kind: 'embed.mint',
    args: { tenant: tenantId },
    method: 'POST',
    path: '/v1/embed_tokens',
    at,
    body: { project_id: world.projectId, tenant_id: tenantId, env: 'live' },
  });
  if (!isOk(minted)) return null;
  const use = (turn: number) =>
    send(world, client, {
      kind: 'embed.use',
      args: { tenant: tenantId, epoch: Number(minted.body.epoch) },
      path: '/v1/embed/session',
      token: textOf(minted.body, 'token'),
      origin: ORIGIN,
      at: turn,
    });
  await use(at);
  return () => use(at + 1);
}

export async function useEmbedToken(world: World, client: string, { dice }: Step): Promise<void> {
  const tenantId = oneOf(world.tenants, dice[1]) ?? '';
  const use = await embedUseOf(world, client, { tenantId, at: dice[0] });
  if (!use) return;
  if (dice[2] % 2 === 0) {
    await send(world, client, {
      kind: 'tenant.end_embed',
      args: { id: tenantId },
      method: 'POST',
      path: `/v1/tenants/${tenantId}/embed_tokens/revoke`,
      at: dice[0],
      body: {},
    });
  }
  await use();
}
