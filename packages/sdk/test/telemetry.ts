// Telemetry over real HTTP, and sample events.
import type { TestContext } from 'node:test';
import { IngestBatch } from '@keyrail/protocol/objects/ingest.ts';
import type { TelemetryOptions } from '../src/api/options.ts';
import type { TelemetryEvent } from '../src/telemetry/batch.ts';
import { createTelemetry } from '../src/telemetry/telemetry.ts';
import { KEY_ID, type Reply, receiver, rig, TENANT_ID } from './rig.ts';

export const event =
  (given: Partial<TelemetryEvent> = {}) =>
  (): TelemetryEvent => ({
    ts: '2026-01-01T00:00:00.000Z',
    env: 'live',
    tenant_id: TENANT_ID,
    key_id: KEY_ID,
    display_prefix: 'kr_live_abcdef',
    method: 'GET',
    path: '/invoices/1',
    route: '/invoices/:id',
    status: 200,
    duration_ms: 1.5,
    degraded: false,
    denial_reason: null,
    request_id: 'r1',
    ...given,
  });

export const taken: Reply = { status: 202, body: { object: 'ingest_receipt' } };
export const sdk = { name: '@keyrail/sdk', version: '0.1.0' };

/** Telemetry with a control plane that accepts it, unless a test changes its script. */
export async function open(t: TestContext, telemetry: TelemetryOptions = {}, chance = () => 0.5) {
  const plane = await receiver(t, () => taken);
  const parts = rig(plane.url, { telemetry }, { chance });
  const made = createTelemetry({ ...parts, sdk });
  const record = (count: number, given: Partial<TelemetryEvent> = {}) => {
    const key = given.display_prefix ?? 'kr_live_abcdef';
    for (let at = 0; at < count; at += 1) made.record(key, parts.clock.monotonicMs(), event(given));
  };
  const batches = () => plane.received.map(({ body }) => IngestBatch.parse(body));
  return { ...made, ...parts, plane, record, batches };
}
