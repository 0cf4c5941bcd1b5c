// Steps that create, change, rotate and revoke keys, and verify them on nodes.
import { systemClock } from '@keyrail/server/base/clock.ts';
import type { NodeProcess } from '@keyrail/testing/processes/sdk-nodes.ts';
import { isOk, type Op, textOf } from '../history.ts';
import type { Step } from '../plan.ts';
import { type KnownKey, oneOf, record, send, type World } from '../world.ts';

const KEYS_MAX = 120;
const VERIFY_MS_MAX = 3_000;
const OVERLAPS = [0, 0.5, 24];
const TWO_DAYS_MS = 48 * 3_600_000;
const inTwoDays = () => new Date(systemClock.now().getTime() + TWO_DAYS_MS).toISOString();

export async function createKey(world: World, client: string, { dice }: Step): Promise<void> {
  const key = oneOf(world.keys, dice[1]);
  if (world.keys.length >= KEYS_MAX && key) return revokeOne(world, client, { key, at: dice[0] });
  await createFor(world, client, { tenantId: oneOf(world.tenants, dice[1]) ?? '', dice });
}

/** A quarter of the keys are test keys, created with the test environment's secret key. */
export async function createFor(
  world: World,
  client: string,
  { tenantId, dice }: { tenantId: string; dice: Step['dice'] },
): Promise<Op> {
  const env = dice[2] % 4 === 0 ? 'test' : 'live';
  const name = world.fresh();
  const hours = dice[2] % 5;
  const op = await send(world, client, {
    kind: 'key.create',
    args: { tenant: tenantId, env, name },
    method: 'POST',
    path: '/v1/keys',
    token: env === 'test' ? world.testKey : world.secretKey,
    at: dice[0],
    body: {
      project_id: world.projectId,
      tenant_id: tenantId,
      env,
      name,
      scopes: [`scope-${dice[2] % 7}`],
      ...(hours === 0 && { expires_at: inTwoDays() }),
      ...(hours === 1 && { rate_limits: [] }),
    },
  });
  if (isOk(op)) know(world, { ...op.body }, tenantId);
  return op;
}

function know(world: World, body: Record<string, unknown>, tenantId: string): void {
  const text = textOf(body, 'key');
  world.keys.push({ id: textOf(body, 'id'), text, env: textOf(body, 'env'), tenantId });
}

const forget = (world: World, id: string) => {
  world.keys = world.keys.filter((key) => key.id !== id);
};

export async function patchKey(world: World, client: string, { dice }: Step): Promise<void> {
  const key = oneOf(world.keys, dice[1]);
  if (!key) return;
  const name = world.fresh();
  await send(world, client, {
    kind: 'key.patch',
    args: { id: key.id, name },
    method: 'PATCH',
    path: `/v1/keys/${key.id}`,
    at: dice[0],
    body: { name, scopes: [`scope-${dice[2] % 7}`] },
  });
}

export async function rotateKey(world: World, client: string, { dice }: Step): Promise<void> {
  const key = oneOf(world.keys, dice[1]);
  if (!key) return;
  const overlap = oneOf(OVERLAPS, dice[2]) ?? 0;
  const op = await send(world, client, {
    kind: 'key.rotate',
    args: { id: key.id, overlap },
    method: 'POST',
    path: `/v1/keys/${key.id}/rotate`,
    at: dice[0],
    body: { overlap_hours: overlap },
  });
  if (isOk(op)) know(world, op.body, key.tenantId);
}

export async function revokeKey(world: World, client: string, { dice }: Step): Promise<void> {
  const key = oneOf(world.keys, dice[1]);
  if (key) await revokeOne(world, client, { key, at: dice[0] });
}

type Revoked = { key: KnownKey; at: number; wait?: boolean };

async function revokeOne(
  world: World,
  client: string,
  { key, at, wait = false }: Revoked,
): Promise<void> {
  const op = await send(world, client, {
    kind: 'key.revoke',
    args: { id: key.id, wait },
    method: 'POST',
    path: `/v1/keys/${key.id}/revoke?wait=${wait}`,
    at,
    body: {},
  });
  if (isOk(op)) forget(world, key.id);
}

/** Revokes a key, waits for the revocation, and then checks the key on every node. */
export async function revokeAndWait(world: World, client: string, { dice }: Step): Promise<void> {
  const key = oneOf(world.keys, dice[1]);
  if (!key) return;
  await revokeOne(world, client, { key, at: dice[0], wait: true });
  await Promise.all([...world.nodes].map(([name]) => verifyOn(world, client, { name, key })));
}

export async function readKey(world: World, client: string, { dice }: Step): Promise<void> {
  const key = oneOf(world.keys, dice[1]);
  if (!key) return;
  const path = `/v1/keys/${key.id}`;
  await send(world, client, { kind: 'key.read', args: { id: key.id }, path, at: dice[0] });
}

export async function verifyOnNodes(world: World, client: string, { dice }: Step): Promise<void> {
  const key = oneOf(world.keys, dice[1]);
  const name = oneOf([...world.nodes.keys()], dice[2]);
  if (key && name) await verifyOn(world, client, { name, key });
}

async function verifyOn(
  world: World,
  client: string,
  { name, key }: { name: string; key: KnownKey },
): Promise<void> {
  const node = world.nodes.get(name);
  if (!node) return;
  const t0 = performance.now();
  const verdict = await verdictOf(node, key.text);
  record(world, {
    client,
    kind: 'node.verify',
    args: { node: name, id: key.id },
    t0,
    t1: performance.now(),
    outcome: verdict === null ? 'unknown' : 'ok',
    status: 0,
    body: { verdict },
  });
}

/** Returns a node's verdict on a key; null if the node is frozen or has been killed. */
async function verdictOf(node: NodeProcess, text: string): Promise<string | null> {
  const { promise, resolve } = Promise.withResolvers<null>();
  const timer = setTimeout(resolve, VERIFY_MS_MAX, null);
  const verdict = node.verdict(text).catch(() => null);
  return Promise.race([verdict, promise]).finally(() => clearTimeout(timer));
}
