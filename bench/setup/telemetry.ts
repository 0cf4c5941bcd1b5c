// Setup for telemetry: a workspace with keys, and batches of events that cover all of them.
import { randomUUID } from 'node:crypto';
import { requestText } from '../load/requests.ts';
import type { Keyrail } from './keyrail.ts';
import { createWorkspace } from './workspaces.ts';

export const KEYS = 500;
const TENANTS = 25;
const CREATED_AT_ONCE = 10;

export type TelemetrySetup = {
  token: string;
  workspaceId: string;
  projectId: string;
  tenantIds: string[];
  keyIds: string[];
};

export async function createTelemetrySetup(server: Keyrail): Promise<TelemetrySetup> {
  const { id: workspaceId, token, call } = await createWorkspace(server, 'telemetry');
  const create = async (path: string, body: object): Promise<string> =>
    String((await call('POST', path, body)).id);
  const projectId = await create('/v1/projects', { name: 'Orders', slug: 'orders' });
  const tenantIds: string[] = [];
  while (tenantIds.length < TENANTS) {
    tenantIds.push(await create('/v1/tenants', { external_id: `customer-${tenantIds.length}` }));
  }
  const keyIds: string[] = [];
  while (keyIds.length < KEYS) {
    const created = Array.from({ length: CREATED_AT_ONCE }, (_, at) => {
      const tenant_id = tenantIds[(keyIds.length + at) % TENANTS];
      return create('/v1/keys', { project_id: projectId, tenant_id, env: 'live' });
    });
    keyIds.push(...(await Promise.all(created)));
  }
  return { token, workspaceId, projectId, tenantIds, keyIds };
}

const HOUR_MS = 3_600_000;

/**
 * Builds a batch as the SDK would send it: events for every key, with one request in twenty
 * failing.
 */
export function batchOf({ projectId, tenantIds, keyIds }: TelemetrySetup, events: number): object {
  // Events are from the last full hour, so that none of them are in the future.
  const startMs = Math.floor(Date.now() / HOUR_MS - 1) * HOUR_MS;
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

export const batchRequest = (setup: TelemetrySetup, events: number): string =>
  requestText({
    method: 'POST',
    path: '/v1/ingest/batch',
    token: setup.token,
    body: batchOf(setup, events),
  });
