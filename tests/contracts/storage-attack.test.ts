// One workspace's test key fills the disk. Another workspace can still revoke its live keys,
// requests in progress can be completed, no request runs without an idempotency record, and /status
// reports the problem.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdirSync, rmSync, statSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { systemClock } from '@keyrail/server/base/clock.ts';
import type { Database } from '@keyrail/server/db/database.ts';
import { openEmbedded } from '@keyrail/server/db/embedded/embedded.ts';
import { openPostgres } from '@keyrail/server/db/postgres.ts';
import {
  createPostgresCopy,
  dropPostgresCopy,
  unpackEmbeddedCopy,
} from '@keyrail/testing/database-copies.ts';
import { type Caller, refused } from '@keyrail/testing/harness.ts';
import { aRequest, claim, complete, heartbeat, lockOf } from '@keyrail/testing/idempotency.ts';
import { appBeside, type Beside } from '@keyrail/testing/second-app.ts';
import { BOOTSTRAP_TOKEN, storeName, testApp } from '@keyrail/testing/test-app.ts';
import { superuserUrl } from './store.ts';

const MEBIBYTE = 1_048_576;
const RECORDED_BYTES = 8 * MEBIBYTE;
const CALLS_MAX = 400;

type Disk = {
  db: Database;
  /** Leaves space for revocations and deletions only. */
  leaveBeforeFull(bytes: number): Promise<void>;
  /** Adds plenty of space. */
  enlarge(): Promise<void>;
};

const sizeOf = (directory: string): number =>
  readdirSync(directory, { recursive: true })
    .map((name) => statSync(join(directory, String(name)), { throwIfNoEntry: false })?.size ?? 0)
    .reduce((sum, bytes) => sum + bytes, 0);

/** A real data directory, on a disk whose size the test controls. */
async function embeddedDisk(t: TestContext): Promise<Disk> {
  const directory = await mkdtemp(join(tmpdir(), 'keyrail-disk-'));
  await unpackEmbeddedCopy(join(directory, 'database'));
  let diskBytes = sizeOf(directory) + 128 * MEBIBYTE + RECORDED_BYTES;
  const db = await openEmbedded(directory, systemClock, () => diskBytes - sizeOf(directory));
  t.after(async () => {
    await db.close();
    rmSync(directory, { recursive: true, force: true });
  });
  return {
    db,
    leaveBeforeFull: async (bytes) => {
      diskBytes = sizeOf(directory) + 66 * MEBIBYTE + bytes;
    },
    enlarge: async () => {
      diskBytes = Number.POSITIVE_INFINITY;
    },
  };
}

/** A database with a configured size limit, which changes when the database is reopened. */
async function postgresDisk(t: TestContext): Promise<Disk> {
  const url = await createPostgresCopy(superuserUrl());
  const open = (bytesMax: number) =>
    openPostgres({ url, clock: systemClock, connectionsMax: 4, bytesMax, onIdleError: () => {} });
  const size = async (): Promise<number> => {
    const text = 'select pg_database_size(current_database()) as bytes';
    const scope = { workspaceId: null, envs: [] };
    const deadline = { remainingMs: () => 10_000 };
    const { rows } = await current.once({ role: 'kr_gate', scope, deadline }, { text, values: [] });
    return Number(rows[0]?.bytes);
  };
  let current = open(Number.MAX_SAFE_INTEGER);
  const reopen = async (bytesMax: number) => {
    await current.close();
    current = open(bytesMax);
    await current.ping({ remainingMs: () => 10_000 });
  };
  await reopen(((await size()) + RECORDED_BYTES) / 0.9);
  t.after(async () => {
    await current.close();
    await dropPostgresCopy(superuserUrl(), url);
  });
  return {
    db: {
      kind: 'postgres',
      once: (opening, statement) => current.once(opening, statement),
      transaction: (opening, body) => current.transaction(opening, body),
      expect: (opening) => current.expect(opening),
      ping: (deadline) => current.ping(deadline),
      storage: () => current.storage(),
      poolUse: () => current.poolUse(),
      close: async () => {},
    },
    leaveBeforeFull: async (bytes) => reopen(((await size()) + bytes) / 0.95),
    enlarge: () => reopen(Number.MAX_SAFE_INTEGER),
  };
}

/**
 * The database's state according to /status, which also measures the size of a PostgreSQL database.
 * Other requests only do so every few seconds.
 */
const databaseOf = async ({ as }: Beside) => {
  const { components } = await as(null)('GET /status');
  return components.database;
};

const noise = (bytes: number) => randomBytes(bytes).toString('base64');

/** Repeats a call until it is denied, or until its response is stored without the body. */
async function until(isOver: () => Promise<boolean>): Promise<void> {
  for (let call = 0; call < CALLS_MAX; call += 1) if (await isOver()) return;
  throw new Error('the disk did not fill up');
}

async function record(call: Caller, env: string): Promise<boolean> {
  const request = { ...aRequest(604_800_000), env };
  const { lock_token } = await call(claim, request);
  const response = { status: 200, body: noise(262_144), ttl_ms: 604_800_000 };
  const done = await call(complete, { ...lockOf(request, lock_token), ...response });
  equal(done.outcome, 'ok');
  return done.body_stored;
}

async function settle(app: Beside) {
  const found = async (slug: string) => {
    const made = await app.as(BOOTSTRAP_TOKEN)('POST /v1/workspaces', { name: slug, slug });
    return app.as(made.secret_key.key);
  };
  const vendor = await found('attacker');
  const live = await found('victim');
  const attacker = app.as((await vendor('POST /v1/secret_keys', { env: 'test' })).key);
  const project = await live('POST /v1/projects', { name: 'Orders', slug: 'orders' });
  const tenant = await live('POST /v1/tenants', { external_id: 'customer' });
  const wanted = { project_id: project.id, tenant_id: tenant.id, env: 'live' };
  const key = await live('POST /v1/keys', wanted);
  return { attacker, live, wanted, key };
}

test('when a test key fills the disk, another workspace can still revoke its live key', async (t) => {
  const disk = await (storeName === 'postgres' ? postgresDisk(t) : embeddedDisk(t));
  const app = appBeside(t, await testApp(), { db: disk.db });
  const { attacker, live, wanted, key } = await settle(app);
  const begun = aRequest();
  const { lock_token } = await live(claim, begun);
  equal(await databaseOf(app), 'ok');

  await until(async () => {
    await databaseOf(app);
    return !(await record(attacker, 'test'));
  });
  equal(await databaseOf(app), 'degraded', 'the first threshold');
  const batch = { object: 'ingest_batch', protocol_version: 1, node_id: 'n', events: [] };
  const sdk = { name: 'x', version: '1' };
  await refused(live('POST /v1/ingest/batch', { ...batch, sdk }), 503, 'unavailable');
  equal((await live(claim, aRequest())).state, 'execute', 'claims are still recorded');
  ok((await live('POST /v1/keys', wanted)).id, 'changes are still made');

  await disk.leaveBeforeFull(2 * MEBIBYTE);
  await until(async () => {
    await databaseOf(app);
    const meta = { noise: noise(600_000) };
    const made = attacker('POST /v1/tenants', { external_id: noise(12), meta });
    return made.then(
      () => false,
      () => true,
    );
  });
  equal(await databaseOf(app), 'degraded', 'the second threshold');
  await refused(live('POST /v1/keys', wanted), 503, 'unavailable');
  await refused(live(claim, aRequest()), 503, 'unavailable');

  const held = lockOf(begun, lock_token);
  equal((await live(heartbeat, held)).outcome, 'ok');
  const done = await live(complete, { ...held, status: 201, body: noise(10) });
  deepEqual([done.outcome, done.body_stored], ['ok', false]);
  const revoked = await live('POST /v1/keys/{id}/revoke', { id: key.id, reason: 'leaked' });
  ok(revoked.revoked_at);
  equal((await live('GET /v1/audit_logs/chain')).verified, true);

  await disk.enlarge();
  equal(await databaseOf(app), 'ok');
  equal((await live(claim, begun)).response?.status, 201, 'a completed request is still replayed');
  ok((await live('POST /v1/keys', wanted)).id);
  equal(await record(attacker, 'test'), true);
});
