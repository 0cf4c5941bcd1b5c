// PostgreSQL plans a prepared statement again whenever it expects a plan for the current values to
// be cheaper. Lookups made on every request or poll must avoid that, because planning them takes
// longer than running them.
import { equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { harness } from '@keyrail/testing/harness.ts';
import { createLookups } from '../../access/gate.rows.ts';
import { deadlineAfter } from '../../base/deadline.ts';
import type { Database, Opening, Statement } from '../../db/database.ts';
import { openGate } from '../../doors/gate.ts';
import { allEnvs } from '../../doors/reach.ts';
import { listNodesSeen } from './node.rows.ts';

/** PostgreSQL plans a statement five times before it compares the costs. */
const RUNS = 10;
const PLANS = 'select generic_plans as reused from pg_prepared_statements where statement = $1';
const ANY_HASH = '00'.repeat(32);

/** Repeats each statement on one connection, and counts the runs that reused a plan. */
function repeating(db: Database) {
  const reused: number[] = [];
  const once = (opening: Opening, statement: Statement) =>
    db.transaction(opening, async ({ run }) => {
      for (let done = 1; done < RUNS; done += 1) await run(statement);
      const result = await run(statement);
      const { rows } = await run({ text: PLANS, values: [statement.text] });
      reused.push(Number(rows[0]?.reused));
      return { kind: 'rollback', result };
    });
  return { db: { ...db, once }, reused };
}

test('lookups made on every request or poll reuse their query plans', async (t) => {
  const app = await harness(t);
  const { id: workspaceId } = await app.as.liveKey('GET /v1/workspace');
  const { id: projectId } = await app.given.project();
  const { db, reused } = repeating(app.testApp.db);
  const lookups = createLookups(openGate(db));
  await lookups.findSecretKey(ANY_HASH);
  await lookups.findSession(ANY_HASH);
  const scope = { workspaceId, envs: allEnvs };
  const opening: Opening = { role: 'kr_record', scope, deadline: deadlineAfter(3000) };
  const run = (statement: Statement) => db.once(opening, statement);
  await listNodesSeen({ run }, projectId, [{ nodeId: 'node', envScope: 'all' }]);
  equal(reused.length, 3);
  for (const count of reused) ok(count >= RUNS / 2, `reused ${reused}`);
});
