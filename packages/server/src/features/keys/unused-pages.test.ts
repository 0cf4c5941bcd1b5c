// A page of unused keys examines a limited number of keys, and its next link continues from there.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { UNUSED_KEYS_EXAMINED_MAX } from '@keyrail/protocol/wire/limits.ts';
import { type Harness, harness } from '@keyrail/testing/harness.ts';
import { operationsOf } from '@keyrail/testing/operations.ts';
import { deadlineAfter } from '../../base/deadline.ts';
import { DAY_MS } from '../../base/duration.ts';
import { sql } from '../../base/sql.ts';
import { many } from '../../db/sql.ts';
import { changed } from '../../doors/door.ts';
import { allEnvs } from '../../doors/reach.ts';

const KEYS = UNUSED_KEYS_EXAMINED_MAX + 100;

/**
 * Creates keys in one project, a second apart, and marks all but the two oldest as used today.
 * Returns the IDs of those two.
 */
async function fill(app: Harness): Promise<string[]> {
  const model = await app.given.key();
  const { project_id: projectId, tenant_id: tenantId } = model;
  await operationsOf(app)(async (tx) => {
    await many(
      tx,
      sql`insert into api_keys (id, project_id, tenant_id, env, lookup_hash, display_prefix, scopes,
          meta, created_at)
        select gen_random_uuid(), ${projectId}, ${tenantId}, 'live',
          sha256((${tx.newId()} || n)::bytea), 'kr_live_aaaaaa', '{}', '{}',
          ${tx.now}::timestamptz - n * interval '1 second'
        from generate_series(1, ${KEYS}::int) n`,
    );
    return changed(
      null,
      { action: 'project.updated', target: projectId, payload: { changed: [], changes: {} } },
      { policy: [projectId] },
    );
  });
  app.clock.shift(100 * DAY_MS);
  const scope = { workspaceId: app.workspaceId, envs: allEnvs };
  const opening = { role: 'kr_record' as const, scope, deadline: deadlineAfter(30_000) };
  const { rows } = await app.testApp.db.once(opening, {
    text: `with ranked as (select id, row_number() over (order by created_at) as place from api_keys),
      used as (insert into usage_key_days (key_id, day, requests, errors, last_at)
        select id, (app_now() at time zone 'UTC')::date, 1, 0, app_now() from ranked where place > 2)
      select id from ranked where place <= 2 order by place desc`,
    values: [],
  });
  return rows.map(({ id }) => String(id));
}

test('pages of unused keys may be empty, but following their links still finds every unused key', async (t) => {
  const app = await harness(t);
  const unused = await fill(app);
  const authorization = `Bearer ${app.tokens.liveKey}`;
  const ask = (cursor?: string) =>
    app.ask('GET /v1/keys', { unused_days: 90, ...(cursor && { cursor }) }, { authorization });
  const first = await ask();
  equal(first.status, 200, first.text);
  deepEqual(first.body.data, []);
  const cursor = /cursor=([\w-]+)/.exec(first.headers.link ?? '')?.[1];
  ok(cursor, 'the first page has a next page');
  const second = await ask(cursor);
  deepEqual(
    Object(second.body.data).map(({ id }: { id: string }) => id),
    unused,
  );
  equal(second.headers.link, undefined);
  equal((await app.as.liveKey('GET /v1/workspace/summary')).keys.unused, 2);
});
