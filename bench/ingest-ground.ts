// The set-up for measuring telemetry: a workspace with keys, and batches that cover all of them.
import { randomUUID } from 'node:crypto';
import type { Keyrail } from './keyrail.ts';
import { foundWorkspace, requestText } from './requests.ts';

export const KEYS = 500;
const TENANTS = 25;
const AT_ONCE = 10;

export type IngestGround = {
  token: string;
  workspaceId: string;
  projectId: string;
  tenantIds: string[];
  keyIds: string[];
};

export async function layGround({ port, bootstrapToken }: Keyrail): Promise<IngestGround> {
  const token = await foundWorkspace(port, bootstrapToken, 'telemetry');
  const post = async (path: string, body: object): Promise<string> => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const made: unknown = await answer.json();
    if (!answer.ok) throw new Error(`${path} → ${answer.status} ${JSON.stringify(made)}`);
    return idIn(made);
  };
  const projectId = await post('/v1/projects', { name: 'Orders', slug: 'orders' });
  const tenantIds: string[] = [];
  for (let each = 0; each < TENANTS; each += 1) {
    tenantIds.push(await post('/v1/tenants', { external_id: `customer-${each}` }));
  }
  const keyIds: string[] = [];
  while (keyIds.length < KEYS) {
    const made = Array.from({ length: AT_ONCE }, (_, at) => {
      const tenant_id = tenantIds[(keyIds.length + at) % TENANTS];
      return post('/v1/keys', { project_id: projectId, tenant_id, env: 'live' });
    });
    keyIds.push(...(await Promise.all(made)));
  }
  const workspace = await fetch(`http://127.0.0.1:${port}/v1/workspace`, {
    headers: { authorization: `Bearer ${token}` },
  });
  return { token, workspaceId: idIn(await workspace.json()), projectId, tenantIds, keyIds };
}

const idIn = (made: unknown): string =>
  typeof made === 'object' && made !== null && 'id' in made ? String(made.id) : '';

const DAY_MS = 86_400_000;

/** A batch as the SDK would send it: events for every key, one request in twenty failing. */
export function batchOf({ projectId, tenantIds, keyIds }: IngestGround, events: number): object {
  // Events are some hours old and never lie in the future.
  const startMs = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  return {
    object: 'ingest_batch',
    protocol_version: 1,
    node_id: 'node-1',
    sdk: { name: '@keyrail/sdk', version: '1.0.0' },
    events: Array.from({ length: events }, (_, at) => ({
      ts: new Date(startMs + ((at * 37) % 3_000_000)).toISOString(),
      project_id: projectId,
      env: 'live',
      tenant_id: tenantIds[(at % keyIds.length) % tenantIds.length],
      key_id: keyIds[at % keyIds.length],
      display_prefix: 'kr_live_abcdef',
      method: 'GET',
      path: `/v1/orders/${at}`,
      route: '/v1/orders/:id',
      status: at % 20 === 0 ? 404 : 200,
      duration_ms: 5 + (at % 190) / 2,
      degraded: false,
      denial_reason: at % 50 === 0 ? 'rate_limited' : null,
      request_id: randomUUID(),
    })),
  };
}

export const batchRequest = (ground: IngestGround, events: number): string =>
  requestText({
    method: 'POST',
    path: '/v1/ingest/batch',
    token: ground.token,
    body: batchOf(ground, events),
  });
