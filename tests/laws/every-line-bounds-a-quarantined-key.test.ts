// Uses a leaked (quarantined) key to call every endpoint that accepts secret keys. Endpoints that
// production needs keep working, and changes that would outlive the key are denied. Every endpoint
// must declare how it treats such a key.
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Caller,
  type Harness,
  harness,
  messageOf,
  refused,
} from '@keyrail/testing/harness.ts';
import { anyIds, endpointOf, fixtureOf, isWrite, routeTable, served } from './lines.ts';

/** Endpoints other than GET that accept a quarantined key. */
const kept = [
  'POST /v1/keys/{id}/revoke',
  'POST /v1/keys/{id}/disable',
  'POST /v1/embed_tokens',
  'POST /v1/policy/report',
  'POST /v1/ratelimit/check',
  'POST /v1/ratelimit/lease',
  'POST /v1/ratelimit/return',
  'POST /v1/idempotency/claim',
  'POST /v1/idempotency/complete',
  'POST /v1/idempotency/release',
  'POST /v1/idempotency/heartbeat',
  'POST /v1/ingest/batch',
];

const takesSecretKey = served.filter((line) =>
  ['vendor', 'machine', 'machineHot', 'minting'].includes(endpointOf(line).auth),
);

async function quarantined({ as }: Harness): Promise<Caller> {
  const { key } = await as.liveKey('POST /v1/secret_keys', { env: 'live' });
  const reports = [{ token: key, type: 'keyrail_key', url: '', source: 'content' }];
  await as.scanner('POST /v1/webhooks/scanner/secret_scanning', { reports });
  return as.token(key);
}

test('every endpoint other than GET declares how it treats a quarantined key', () => {
  const said = new Map<string, unknown>(
    routeTable.map(({ line, whenQuarantined }) => [line, whenQuarantined]),
  );
  for (const line of takesSecretKey.filter(isWrite)) {
    equal(said.get(line), kept.includes(line) ? 'allow' : 'refuse', line);
  }
  const others = served.filter((line) => !takesSecretKey.includes(line) || !isWrite(line));
  deepEqual(
    others.filter((line) => said.get(line) !== undefined),
    [],
  );
});

test('a quarantined key cannot change anything that would outlive it', async (t) => {
  const app = await harness(t);
  const call = await quarantined(app);
  const { head_hash: before } = await app.as.liveKey('GET /v1/audit_logs/chain');
  for (const line of takesSecretKey.filter((each) => isWrite(each) && !kept.includes(each))) {
    const answer = await refused(call(line, anyIds(line)), 403, 'forbidden');
    equal(messageOf(answer), 'A quarantined secret key cannot make this change.', line);
  }
  equal((await app.as.liveKey('GET /v1/audit_logs/chain')).head_hash, before);
});

test('a quarantined key can still call every GET and the endpoints that production needs', async (t) => {
  const app = await harness(t);
  const call = await quarantined(app);
  for (const line of takesSecretKey.filter((each) => !isWrite(each) || kept.includes(each))) {
    await call(line, await fixtureOf(line).input(app));
  }
});
