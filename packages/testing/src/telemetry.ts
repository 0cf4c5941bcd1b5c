// Batches as the SDK sends them, with defaults for everything a test does not set.
import type { Input } from './harness.ts';

type Place = { id: string; project_id: string; tenant_id: string; env: 'live' | 'test' };

/** Returns the event for one request made with a key. */
export const eventOf = (key: Place, at: Date, overrides: Input = {}): Input => ({
  ts: at.toISOString(),
  project_id: key.project_id,
  env: key.env,
  tenant_id: key.tenant_id,
  key_id: key.id,
  display_prefix: 'kr_live_abcdef',
  method: 'GET',
  path: '/v1/orders/17',
  route: '/v1/orders/:id',
  status: 200,
  duration_ms: 12.5,
  degraded: false,
  denial_reason: null,
  request_id: 'req-1',
  ...overrides,
});

export const batchOf = (events: Input[], overrides: Input = {}): Input => ({
  object: 'ingest_batch',
  protocol_version: 1,
  node_id: 'node-1',
  sdk: { name: '@keyrail/sdk', version: '1.0.0' },
  events,
  ...overrides,
});
