// The hand-written check and the schema accept the same batches and parse the same values from
// them.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '@keyrail/protocol/json-schema.ts';
import { IngestBatch } from '@keyrail/protocol/objects/ingest.ts';
import { batchOf, eventOf } from '@keyrail/testing/telemetry.ts';
import fc from 'fast-check';
import { hostileValue, jsonOf } from '../../../../../tests/laws/hostile.ts';
import { bodySchemaOf, fitting, resolved } from '../../../../../tests/laws/inputs.ts';
import { acceptedBatch, faultsOf } from './batch-check.ts';

const id = '0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b';
const key = { id, project_id: id, tenant_id: id, env: 'live' } as const;
const event = eventOf(key, new Date('2026-03-01T10:00:00.000Z'));

/** Returns the value as the server would see it after parsing it from JSON. */
const sent = (value: unknown): unknown => JSON.parse(jsonOf(value));

function holdAgainstSchema(value: unknown): void {
  const parsed = IngestBatch.safeParse(value);
  const batch = acceptedBatch(value);
  equal(batch !== null, parsed.success, `${JSON.stringify(value)} ${parsed.error}`);
  if (!batch || !parsed.data) {
    ok(faultsOf(value).length > 0);
    return;
  }
  const { events, batch_id = null, events_dropped, sample_rate } = parsed.data;
  deepEqual(batch, {
    batchId: batch_id,
    eventsDropped: events_dropped,
    events: events.map((each) => ({
      atMs: each.ts.getTime(),
      projectId: each.project_id,
      env: each.env,
      tenantId: each.tenant_id,
      keyId: each.key_id,
      isError: each.status >= 400,
      durationMs: each.duration_ms,
      isDegraded: each.degraded,
      denialReason: each.denial_reason,
      weight: Math.min(1 / (each.sample_rate ?? sample_rate), Number.MAX_SAFE_INTEGER),
    })),
  });
}

const schema = bodySchemaOf('POST /v1/ingest/batch') ?? {};
const properties = (of: unknown): Record<string, JsonObject> =>
  Object.fromEntries(
    Object.entries((of as JsonObject).properties ?? {}).map(([name, each]) => [
      name,
      resolved(each),
    ]),
  );
const headFields = properties(schema);
const eventFields = properties(resolved((headFields.events?.items ?? {}) as JsonObject));

/** Replaces one field's value with a hostile value or another valid value, or removes the field. */
const changed = (fields: Record<string, JsonObject>) =>
  fc
    .constantFrom(...Object.keys(fields))
    .chain((name) =>
      fc
        .oneof(hostileValue, fitting(fields[name] ?? {}), fc.constant(undefined))
        .map((value) => ({ [name]: value })),
    );

test('the check and the schema agree when one field of an event changes', () => {
  fc.assert(
    fc.property(changed(eventFields), (change) =>
      holdAgainstSchema(sent(batchOf([{ ...event, ...change }]))),
    ),
    { numRuns: 3000 },
  );
});

test('the check and the schema agree when one field of the batch changes', () => {
  fc.assert(
    fc.property(changed(headFields), (change) =>
      holdAgainstSchema(sent({ ...batchOf([event]), ...change })),
    ),
    { numRuns: 1000 },
  );
});

test('the check and the schema agree on random batches and on arbitrary other values', () => {
  fc.assert(
    fc.property(fc.oneof(fitting(schema), hostileValue), (value) => holdAgainstSchema(sent(value))),
    { numRuns: 500 },
  );
});

test('the check and the schema agree at every limit and just beyond it', () => {
  const edges = {
    status: [99, 100, 399, 400, 999, 1000, 200.5],
    duration_ms: [-0.001, 0, 604_800_000, 604_800_001],
    sample_rate: [-0.5, 0, 5e-324, 0.000_000_001, 1, 1.000_001, null],
    method: ['', 'x'.repeat(200), 'x'.repeat(201), '😀'.repeat(200), '😀'.repeat(201)],
    path: ['x'.repeat(16_384), 'x'.repeat(16_385), '😀'.repeat(16_384), 'a\u0000b', '\ud800'],
    ts: ['2026-02-29T00:00:00Z', '2024-02-29T00:00:00+23:59', '2026-03-01T10:00:00', ''],
    key_id: [id.toUpperCase(), '', null, `${id} `],
  };
  for (const [name, values] of Object.entries(edges)) {
    for (const value of values) holdAgainstSchema(batchOf([{ ...event, [name]: value }]));
  }
  const heads = { node_id: ['a'.repeat(128), 'a'.repeat(129), 'a\n'], protocol_version: [0, 1, 2] };
  for (const [name, values] of Object.entries(heads)) {
    for (const value of values) holdAgainstSchema(batchOf([event], { [name]: value }));
  }
});
