import { deepEqual, equal, match } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { rig, secretKeyOf } from '../../test/rig.ts';
import type { IncomingCall } from '../api/admission.ts';
import type { TelemetryEvent } from '../telemetry/batch.ts';
import { createTestKeyrail } from '../testing.ts';
import { SDK } from '../version.ts';
import { createReports, keyTextOf, timeTexts } from './call-report.ts';

const callWith = (headers: Record<string, string>): IncomingCall => ({
  method: 'GET',
  path: '/invoices',
  header: (name) => headers[name],
});

for (const [headers, expected] of [
  [{}, null],
  [{ authorization: 'Bearer kr_live_a' }, 'kr_live_a'],
  [{ authorization: 'bearer  kr_live_a ' }, 'kr_live_a'],
  [{ 'x-api-key': ' kr_live_b ' }, 'kr_live_b'],
  [{ authorization: 'Bearer kr_live_a', 'x-api-key': 'kr_live_b' }, 'kr_live_a'],
  [{ authorization: 'Bearer eyJhbGci', 'x-api-key': 'kr_live_b' }, 'kr_live_b'],
  [{ authorization: 'Basic a2V5', 'x-api-key': 'kr_live_b' }, 'kr_live_b'],
  [{ authorization: 'Bearer eyJhbGci' }, 'eyJhbGci'],
  [{ authorization: 'Bearer a b' }, null],
  [{ authorization: 'Bearer kr_live_a\tb' }, null],
  [{ authorization: 'Bearer ' }, null],
  [{ authorization: 'kr_live_a' }, null],
  [{ 'x-api-key': '' }, null],
  [{ 'x-key': 'kr_live_c' }, null],
] as const) {
  test(`the key in ${JSON.stringify(headers)} is ${expected}`, () => {
    equal(keyTextOf(callWith(headers), ['authorization', 'x-api-key']), expected);
  });
}

test('a node can read the key from a different header', () => {
  equal(keyTextOf(callWith({ 'x-key': 'kr_live_c' }), ['x-key']), 'kr_live_c');
});

test('a key passed with the call is used unchanged, and no header is read', () => {
  const call = callWith({ authorization: 'Bearer kr_live_a' });
  for (const key of ['kr_live_b', ' kr_live_b ', '', null]) {
    equal(keyTextOf({ ...call, key }, ['authorization']), key);
  }
  equal(keyTextOf({ ...call, key: undefined }, ['authorization']), 'kr_live_a');
});

test('a header value longer than any key is rejected, but another header may contain the key', async (t) => {
  const keyrail = await createTestKeyrail();
  t.after(() => keyrail.close());
  const longest = `pk.${'~'.repeat(509)}`;
  const { key } = await keyrail.issue({});
  await keyrail.issue({ imported: longest });
  const codeOf = async (headers: Record<string, string>) => {
    const admission = await keyrail.admit(callWith(headers));
    return admission.kind === 'refused'
      ? JSON.parse(String(admission.body)).error.code
      : 'admitted';
  };
  equal(await codeOf({ authorization: `Bearer ${longest}` }), 'admitted');
  equal(await codeOf({ 'x-api-key': longest }), 'admitted');
  for (const blanks of [' '.repeat(600), '\t'.repeat(60_000)]) {
    equal(await codeOf({ 'x-api-key': `x${blanks}y` }), 'invalid_key');
    equal(await codeOf({ 'x-api-key': key + blanks }), 'invalid_key');
    equal(await codeOf({ authorization: `Bearer ${blanks}${key}` }), 'invalid_key');
    equal(await codeOf({ authorization: `Negotiate ${blanks}x` }), 'invalid_key');
    equal(await codeOf({ authorization: `Negotiate x${blanks}`, 'x-api-key': key }), 'admitted');
  }
  match(keyrail.metrics(), /decisions_total\{outcome="malformed_key"\} 8\n/);
});

function eventsOf(
  env: 'live' | 'test',
  headers: Record<string, string>,
  route: string | null = '/invoices/:id',
): TelemetryEvent[] {
  const events: TelemetryEvent[] = [];
  const telemetry = {
    record: (_: string | null, __: number, event: () => TelemetryEvent) =>
      void events.push(event()),
    close: async () => {},
    state: () => ({ queued: 0, sent: 0, dropped: 0 }),
  };
  const parts = { ...rig('http://127.0.0.1', { secretKey: secretKeyOf(env) }), telemetry };
  const call = { ...callWith(headers), path: '/invoices/a-secret', route };
  const report = createReports(parts)(call, undefined);
  const key = { keyId: null, tenantId: null, env: 'live', displayPrefix: 'kr_live_x' } as const;
  report.end({ status: 401, key, degraded: false, reason: 'unknown_key' });
  return events;
}

test('event times have the same format as toISOString, even after the clock is set back', () => {
  const textOf = timeTexts();
  const newYear = Date.UTC(2027, 0, 1);
  const times = [0, 7, 42, 999, 1000, newYear - 1, newYear, newYear + 5.9, newYear - 1, 70, -1];
  for (const ms of times) equal(textOf(ms), new Date(Math.floor(ms)).toISOString(), String(ms));
});

test('telemetry contains a known route instead of the path, and never the query or the full key', () => {
  const [event] = eventsOf('live', {
    authorization: 'Bearer kr_live_secret',
    'x-request-id': 'r7',
  });
  deepEqual(event, {
    ts: '2026-01-01T00:00:00.000Z',
    env: 'live',
    tenant_id: null,
    key_id: null,
    display_prefix: 'kr_live_x',
    method: 'GET',
    path: '/invoices/:id',
    route: '/invoices/:id',
    status: 401,
    duration_ms: 0,
    degraded: false,
    denial_reason: 'unknown_key',
    request_id: 'r7',
  });
});

test("telemetry contains a request's path only if its route is unknown", () => {
  const [event] = eventsOf('live', {}, null);
  deepEqual([event?.path, event?.route], ['/invoices/a-secret', null]);
});

test('a node with a test secret key only reports test events', () => {
  equal(eventsOf('test', {})[0]?.env, 'test');
});

test('a request without a valid request ID gets one', () => {
  for (const id of ['', 'a b', 'x'.repeat(201), '\u00fc']) {
    match(eventsOf('live', { 'x-request-id': id })[0]?.request_id ?? '', /^[0-9a-f-]{36}\.1$/);
  }
});

test('the reported SDK version is the one in package.json', () => {
  const file = join(import.meta.dirname, '..', '..', 'package.json');
  const { name, version } = JSON.parse(readFileSync(file, 'utf8'));
  deepEqual({ ...SDK }, { name, version });
});

test('only spaces and tabs around a key are removed', () => {
  const keyText = (value: string, name = 'x-api-key') =>
    keyTextOf({ method: 'GET', path: '/', header: (asked) => (asked === name ? value : null) }, [
      name,
    ]);
  equal(keyText(' \tkr_live_a\t '), 'kr_live_a');
  for (const other of ['\u00a0', '\ufeff', '\u2003', '\v', '\f', '\n']) {
    equal(keyText(`kr_live_a${other}`), `kr_live_a${other}`);
    equal(keyText(`${other}kr_live_a`), `${other}kr_live_a`);
    equal(keyText(`Bearer kr_live_a${other}`, 'authorization') === 'kr_live_a', false);
  }
});
