// If a change affects more than a dry run examines, every number is a lower bound and `capped` is
// true.
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { IMPACT_KEYS_MAX, IMPACT_PLACES_MAX } from '@keyrail/protocol/wire/limits.ts';
import { type Harness, harness, type Input } from '@keyrail/testing/harness.ts';
import { operationsOf } from '@keyrail/testing/operations.ts';
import { seededBytes } from '@keyrail/testing/test-app.ts';
import { deadlineAfter } from '../../base/deadline.ts';
import { sql } from '../../base/sql.ts';
import { many } from '../../db/sql.ts';
import { changed } from '../../doors/door.ts';
import { allEnvs } from '../../doors/reach.ts';
import { openWrite } from '../../doors/write.ts';

type Key = Awaited<ReturnType<Harness['given']['key']>>;
type Place = Pick<Key, 'project_id' | 'tenant_id'>;
type Line = Parameters<Harness['ask']>[0];

/**
 * How many rows a single statement inserts: few enough that it finishes in time even on a busy
 * machine.
 */
const BATCH_ROWS = 500;

async function inBatches(rows: number, write: (rows: number) => Promise<unknown>): Promise<void> {
  for (let left = rows; left > 0; left -= BATCH_ROWS) await write(Math.min(left, BATCH_ROWS));
}

const WAIT_MS = 60_000;

/** Returns a dry run's `keys`, `active_keys` and `capped`. */
async function dry(app: Harness, line: Line, input: Input): Promise<unknown[]> {
  const headers = { authorization: `Bearer ${app.tokens.liveKey}` };
  const { status, body, text } = await app.ask(line, { ...input, dry_run: true }, headers);
  equal(status, 200, text);
  return [body.keys, body.active_keys, body.capped];
}

/**
 * Adds keys to a key's project and tenant. They can't be used, because nobody knows their secrets.
 */
const fill = (app: Harness, { project_id, tenant_id }: Key, keys: number) =>
  inBatches(keys, (batch) => fillOnce(app, { project_id, tenant_id }, batch));

const fillOnce = (app: Harness, { project_id, tenant_id }: Place, keys: number) =>
  operationsOf(app)(async (tx) => {
    await many(
      tx,
      sql`insert into api_keys (id, project_id, tenant_id, env, lookup_hash, display_prefix,
          scopes, meta, created_at, rate_limits)
        select gen_random_uuid(), ${project_id}, ${tenant_id}, 'live',
          sha256((${tx.newId()} || n)::bytea), 'kr_live_aaaaaa', '{}', '{}',
          ${tx.now}::timestamptz, '[]'
        from generate_series(1, ${keys}::int) n`,
    );
    return changed(
      null,
      { action: 'project.updated', target: project_id, payload: { changed: [], changes: {} } },
      { policy: [project_id] },
    );
  });

test('if there are more keys than a dry run examines, the counts are capped', async (t) => {
  const app = await harness(t);
  const first = await app.given.key({ env: 'test' });
  const id = first.project_id;
  const default_rate_limits = [
    { id: 'm', limit: 5, window_ms: 60_000, algorithm: 'sliding', scope: 'key' },
  ];
  await fill(app, first, IMPACT_KEYS_MAX - 1);
  const line = 'DELETE /v1/projects/{id}';
  deepEqual(await dry(app, line, { id }), [IMPACT_KEYS_MAX, IMPACT_KEYS_MAX, false]);
  const inherit = { id, default_rate_limits };
  deepEqual(await dry(app, 'PATCH /v1/projects/{id}', inherit), [1, 1, false]);

  await fill(app, first, 1);
  const more = [IMPACT_KEYS_MAX + 1, IMPACT_KEYS_MAX, true];
  deepEqual(await dry(app, line, { id }), more);
  deepEqual(await dry(app, 'DELETE /v1/tenants/{id}', { id: first.tenant_id }), more);
  // Live keys come first, so the dry run stops before the test key, the only one that inherits the
  // limits.
  deepEqual(await dry(app, 'PATCH /v1/projects/{id}', inherit), [1, 0, true]);
  const key = await app.given.key({ project_id: id });
  deepEqual(await dry(app, 'PATCH /v1/projects/{id}', inherit), [1, 1, true], 'not 10,001');
  deepEqual(await dry(app, 'POST /v1/keys/{id}/revoke', { id: key.id }), [1, 1, false]);
});

/** Records that a user created secret keys that don't actually exist. */
const recordCreated = (app: Harness, id: string, count: number) =>
  inBatches(count, (batch) => recordOnce(app, id, batch));

const recordOnce = ({ testApp: { app, db }, workspaceId }: Harness, id: string, count: number) =>
  openWrite(
    {
      db,
      newId: app.worker.newId,
      randomBytes: seededBytes('capped'),
      seal: () => Buffer.alloc(0),
      announce: () => {},
    },
    { workspaceId, envs: allEnvs, actor: { type: 'user', id }, authority: 'admin' },
    { deadline: deadlineAfter(WAIT_MS) },
  )(async (tx) => {
    const entry = () => ({
      action: 'secret_key.created' as const,
      target: tx.newId(),
      payload: { env: 'live' as const, display_prefix: 'krsk_live_aaaaaa' },
    });
    return changed(null, [entry(), ...Array.from({ length: count - 1 }, entry)]);
  });

test('for a member with more audit entries than a dry run examines, the counts are capped', async (t) => {
  const app = await harness(t);
  const admin = await app.people.admin();
  const line = 'DELETE /v1/members/{userId}';
  const member = { userId: admin.userId };
  await admin.call('POST /v1/secret_keys', { env: 'live' });
  await recordCreated(app, admin.userId, IMPACT_KEYS_MAX - 1);
  deepEqual(await dry(app, line, member), [1, 1, false]);
  await recordCreated(app, admin.userId, 1);
  deepEqual(await dry(app, line, member), [0, 0, true]);
});

test('for a tenant with keys in more projects than a dry run examines, the counts are capped', async (t) => {
  const app = await harness(t);
  const { id: tenant_id } = await app.given.tenant();
  const line = 'DELETE /v1/tenants/{id}';
  for (let made = 0; made < IMPACT_PLACES_MAX; made += 1) await app.given.key({ tenant_id });
  const all = [IMPACT_PLACES_MAX, IMPACT_PLACES_MAX];
  deepEqual(await dry(app, line, { id: tenant_id }), [...all, false]);
  await app.given.key({ tenant_id });
  deepEqual(await dry(app, line, { id: tenant_id }), [...all.map((keys) => keys + 1), true]);
});
