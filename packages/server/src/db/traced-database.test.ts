// A statement's trace is passed to the store, so that the store's log and session list identify the
// span.
import { deepEqual, equal, match } from 'node:assert/strict';
import { test } from 'node:test';
import { deadlineAfter } from '@keyrail/server/base/deadline.ts';
import { openTraces } from '@keyrail/server/observe/open-traces.ts';
import { storeName, testApp } from '@keyrail/testing/test-app.ts';
import type { Opening, Statement } from './database.ts';
import { summaryOf, withTraces } from './traced-database.ts';

const TRACEPARENT = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
const NAME: Statement = { text: `select current_setting('application_name') as name`, values: [] };

const opening = (more: Partial<Opening> = {}): Opening => ({
  role: 'kr_read',
  scope: { workspaceId: null, envs: [] },
  deadline: deadlineAfter(10_000),
  ...more,
});

test("for the duration of one transaction, the session's name contains the full traceparent", async () => {
  const { db } = await testApp();
  const nameOf = async (more: Partial<Opening> = {}) =>
    (await db.once(opening(more), NAME)).rows[0]?.name;
  const usual = await nameOf();

  const once = await nameOf({ traceparent: TRACEPARENT });
  const inTransaction = await db.transaction(
    opening({ role: 'kr_write', traceparent: TRACEPARENT, readOnly: true }),
    async (tx) => ({ kind: 'rollback', result: (await tx.run(NAME)).rows[0]?.name }),
  );

  deepEqual([once, inTransaction], [`keyrail ${TRACEPARENT}`, `keyrail ${TRACEPARENT}`]);
  equal(await nameOf(), usual);
});

/** The export delay. The process exits before it has passed, so no span is sent. */
const NEVER_MS = 60_000;

test("a recorded statement's span is passed to PostgreSQL, but not to the embedded store", async () => {
  const { db } = await testApp();
  const traces = await openTraces({
    protocol: 'http/json',
    sampler: 'always_on',
    ratio: 1,
    continues: true,
    delayMs: NEVER_MS,
    queueMax: 512,
  });
  const traced = withTraces(db, traces);
  const nameIn = async () => String((await traced.once(opening(), NAME)).rows[0]?.name);
  const usual = await nameIn();

  const named = await traces.around({ name: 'test' }, nameIn);

  if (storeName === 'postgres') match(named, /^keyrail 00-[\da-f]{32}-[\da-f]{16}-01$/);
  else equal(named, usual);
});

test("a summary consists of the statement's kind and its first table", () => {
  const summaries = {
    'select id from api_keys where id = $1': 'select api_keys',
    'insert into projects (id) values ($1) returning *': 'insert projects',
    'update tenants set name = $1': 'update tenants',
    'select keyrail.close_change($1, $2)': 'select close_change',
    'with wanted as (select 1) select * from wanted': 'with wanted',
    transaction: 'transaction',
  };

  for (const [text, summary] of Object.entries(summaries)) equal(summaryOf(text), summary);
});
