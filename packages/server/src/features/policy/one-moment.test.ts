// Each response reflects a single database snapshot, and versions follow the commit order. The
// tests pause a reader or writer at the critical point. They are skipped on the embedded store,
// which runs one transaction at a time.
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Fed, fold, foldedFrom, poll, readAll } from '@keyrail/testing/feed.ts';
import { ask, type Harness, harness } from '@keyrail/testing/harness.ts';
import { appBeside } from '@keyrail/testing/second-app.ts';
import { storeName } from '@keyrail/testing/test-app.ts';
import type { Database } from '../../db/database.ts';
import { allEnvs } from '../../doors/reach.ts';

const skip = storeName !== 'postgres' && 'the embedded store runs one transaction at a time';
const revoke = 'POST /v1/keys/{id}/revoke';

/** A store that runs `act` after the first statement of each feed transaction. */
const interrupted = (db: Database, act: () => Promise<unknown>): Database => ({
  ...db,
  transaction: (opening, body) =>
    db.transaction(opening, ({ now, run }) => {
      let statements = 0;
      return body({
        now,
        run: async (statement) => {
          const answer = await run(statement);
          statements += 1;
          if (opening.role === 'kr_record' && statements === 1) await act();
          return answer;
        },
      });
    }),
});

async function changingMeanwhile(app: Harness) {
  const key = await app.given.key();
  const { project_id, tenant_id } = key;
  const act = async () => {
    await app.given.key({ project_id, tenant_id });
    await app.as.liveKey(revoke, { id: key.id });
  };
  return { project_id, first: key.id, db: interrupted(app.testApp.db, act) };
}

test('a snapshot is consistent while keys are written', { skip }, async (t) => {
  const app = await harness(t);
  const { project_id, first, db } = await changingMeanwhile(app);
  const beside = appBeside(t, app.testApp, { db });
  const headers = { authorization: `Bearer ${app.tokens.liveKey}` };
  const { body } = await ask(beside, 'GET /v1/policy/snapshot', { input: { project_id }, headers });
  equal(body.version, 2);
  const keys = body.keys as Fed[];
  const start = { version: 2, keys: new Map(keys.map((key) => [key.key_id, key])) };
  deepEqual([...start.keys.keys()], [first], 'as it was at version 2');
  deepEqual(await foldedFrom(app, { project_id }, start), fold(await readAll(app, { project_id })));
});

test('a delta is consistent while keys are written', { skip }, async (t) => {
  const app = await harness(t);
  const { project_id, db } = await changingMeanwhile(app);
  const beside = appBeside(t, app.testApp, { db });
  const headers = { authorization: `Bearer ${app.tokens.liveKey}` };
  const input = { project_id, since: 1 };
  const { body } = await ask(beside, 'GET /v1/policy/delta', { input, headers });
  equal(body.version, 2);
  deepEqual(
    (body.changes as Fed[]).map(({ change }) => change),
    ['upsert'],
  );
});

test('no version becomes visible until all lower versions are committed', { skip }, async (t) => {
  const app = await harness(t);
  const { project_id, tenant_id } = await app.given.key();
  const opening = {
    role: 'kr_worker',
    scope: { workspaceId: app.workspaceId, envs: allEnvs },
    deadline: { remainingMs: () => 10_000 },
    changeId: crypto.randomUUID(),
  } as const;
  let isAnswered = false;
  let later: Promise<unknown> = Promise.resolve();
  await app.testApp.db.transaction(opening, async ({ run }) => {
    await run({
      text: "select * from next_versions(array[$1]::uuid[], '{}')",
      values: [project_id],
    });
    later = app.given.key({ project_id, tenant_id }).then(() => {
      isAnswered = true;
    });
    await sleep(400);
    equal(isAnswered, false, 'a later version was committed first');
    const early = await poll(app, 'GET /v1/policy/delta', { project_id, since: 2 });
    equal(early.status, 304, 'nothing is committed yet');
    return { kind: 'commit', last: [], result: () => null };
  });
  await later;
  const { page } = await poll(app, 'GET /v1/policy/delta', { project_id, since: 3 });
  equal(page.version, 4);
  equal(page.changes.length, 1);
});
