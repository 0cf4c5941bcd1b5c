// As the disk fills up, endpoints that revoke, delete or remove something keep working after all
// other writes are rejected. Each route declares whether it may use the space reserved for this.
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import type { AnyLine } from '@keyrail/protocol/endpoints/all.ts';
import { withDiskReserve } from '@keyrail/server/db/disk-space.ts';
import { ask, type Harness, harness } from '@keyrail/testing/harness.ts';
import { appBeside } from '@keyrail/testing/second-app.ts';
import { endpointOf, fixtureOf, isWrite, routeTable, served } from './lines.ts';

const ENDS = /^DELETE |\/(revoke|disable)$/;

/**
 * Endpoints that may also use the disk reserve although their paths don't match ENDS. A comment
 * gives the reason.
 */
const alsoFromReserve = [
  'GET /v1/policy/delta', // sends revocations to the nodes
  'GET /v1/policy/snapshot',
  'POST /v1/policy/report', // records a node, because revocations don't wait for unrecorded nodes
  'POST /v1/idempotency/complete', // without it, a request that has run would run again
  'POST /v1/idempotency/heartbeat',
  'POST /v1/idempotency/release',
  'POST /v1/webhooks/scanner/secret_scanning', // revokes leaked keys
];

const storageOf = (line: string) => routeTable.find((route) => route.line === line)?.storage;

test('endpoints that revoke or remove something, and few others, may use the disk reserve', () => {
  const ending = served.filter((line) => ENDS.test(line));
  const reserved = served.filter((line) => storageOf(line) === 'reserve');
  deepEqual(reserved.toSorted(), [...ending, ...alsoFromReserve].toSorted());
  deepEqual(
    served.filter((line) => storageOf(line) === 'spare'),
    ['POST /v1/ingest/batch'],
  );
});

/** Endpoints that write to no table, so they keep working when the disk is full. */
const writesNothing: string[] = [
  'POST /v1/embed_tokens',
  'POST /v1/ratelimit/check',
  'POST /v1/ratelimit/lease',
  'POST /v1/ratelimit/return',
];

const headersFor = async (app: Harness, line: AnyLine): Promise<Record<string, string> | null> => {
  const { caller } = fixtureOf(line);
  if (caller === 'liveKey') return { authorization: `Bearer ${app.tokens.liveKey}` };
  if (caller === 'owner') return { authorization: `Bearer ${(await app.people.owner()).token}` };
  return caller === 'embed' ? (await app.embed()).headers : null;
};

test('with a full disk, reads and revocations still work and other changes are rejected', async (t) => {
  const app = await harness(t);
  const db = withDiskReserve(app.testApp.db, { state: () => 'full' });
  const full = appBeside(t, app.testApp, { db });
  for (const line of served.filter((each) => endpointOf(each).auth !== 'signature')) {
    const headers = await headersFor(app, line);
    if (headers === null) continue;
    const input = await fixtureOf(line).input(app);
    const { status, text } = await ask(full, line, { input, headers });
    const goesOn = !isWrite(line) || storageOf(line) === 'reserve' || writesNothing.includes(line);
    equal(
      `${line} ${status < 400 ? 'answered' : status}`,
      `${line} ${goesOn ? 'answered' : 503}`,
      text,
    );
  }
});
