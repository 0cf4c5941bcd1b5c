// Filtering and ordering the audit log. Each list is compared with the matching entries of the full
// log.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Caller,
  type Harness,
  harness,
  type Input,
  refused,
} from '@keyrail/testing/harness.ts';

const list = 'GET /v1/audit_logs';

type Row = Awaited<ReturnType<typeof everyRow>>[number];

async function everyRow(caller: Caller) {
  const { data } = await caller(list, { limit: 200 });
  return data;
}

/**
 * Writes entries with several actors, actions and targets, some live, some test, and some without
 * an environment.
 */
async function busy(app: Harness): Promise<{ keyId: string; ownerId: string }> {
  const { as, given, clock } = app;
  const key = await given.key();
  const testKey = await given.key({ env: 'test' });
  for (const { id } of [key, testKey, key]) {
    clock.shift(1000);
    await as.liveKey('PATCH /v1/keys/{id}', { id, name: `n${clock.now().getTime()}` });
  }
  await as.owner('PATCH /v1/workspace', { name: 'By a person' });
  clock.shift(1000);
  await as.owner('POST /v1/keys/{id}/revoke', { id: testKey.id });
  await as.owner('PATCH /v1/keys/{id}', { id: key.id, name: 'By a person' });
  return { keyId: key.id, ownerId: (await app.people.owner()).userId };
}

const typeOf = ({ action }: Row) => action.slice(0, action.indexOf('.'));

/** Checks whether an entry matches a query, without asking the server. */
function fits(row: Row, { action, actor_id, target_type, target_id, from, to }: Input): boolean {
  const at = Date.parse(row.occurred_at);
  return (
    (action === undefined || action === row.action || action === `${typeOf(row)}.*`) &&
    (actor_id === undefined || actor_id === row.actor_id) &&
    (target_type === undefined || target_type === row.target_type) &&
    (target_id === undefined || target_id === row.target_id) &&
    (from === undefined || at >= Date.parse(String(from))) &&
    (to === undefined || at < Date.parse(String(to)))
  );
}

test('every combination of filters lists exactly the matching entries, in either order', async (t) => {
  const app = await harness(t);
  const { keyId, ownerId } = await busy(app);
  for (const caller of [app.as.liveKey, app.as.testKey, app.as.member]) {
    const rows = await everyRow(caller);
    const middle = rows[Math.floor(rows.length / 2)]?.occurred_at;
    let found = 0;
    for (const action of ['', 'api_key.updated', 'api_key.*', 'workspace.*', 'a.b']) {
      for (const actor of [{}, { actor_id: ownerId }]) {
        for (const target of [{}, { target_id: keyId }, { target_type: 'api_key' }]) {
          for (const time of [{}, { from: middle }, { to: middle }]) {
            const named = action === '' ? {} : { action };
            const query = { ...named, ...actor, ...target, ...time, limit: 200 };
            const wanted = rows.filter((row) => fits(row, query)).map(({ seq }) => seq);
            const says = JSON.stringify(query);
            const { data } = await caller(list, query);
            deepEqual(
              data.map(({ seq }) => seq),
              wanted,
              says,
            );
            const { data: newest } = await caller(list, { ...query, order: 'desc' });
            deepEqual(
              newest.map(({ seq }) => seq),
              wanted.toReversed(),
              says,
            );
            found += wanted.length;
          }
        }
      }
    }
    ok(found > 50, `${found} rows`);
  }
});

test('a filtered list can be paged through in both orders', async (t) => {
  const app = await harness(t);
  await busy(app);
  const authorization = `Bearer ${app.tokens.liveKey}`;
  for (const order of ['asc', 'desc']) {
    const query = { action: 'api_key.*', order };
    const whole = (await app.as.liveKey(list, query)).data.map(({ seq }) => seq);
    ok(whole.length > 4);
    const walked: unknown[] = [];
    let cursor: string | undefined;
    for (let pages = 0; pages < 20; pages += 1) {
      const page = await app.ask(
        list,
        { ...query, limit: 2, ...(cursor && { cursor }) },
        { authorization },
      );
      equal(page.status, 200, page.text);
      for (const { seq } of Object(page.body.data)) walked.push(seq);
      cursor = /cursor=([\w-]+)/.exec(page.headers.link ?? '')?.[1];
      if (cursor === undefined) break;
    }
    deepEqual(walked, whole);
  }
});

test('in descending order, `after_seq` still excludes all entries up to that number', async (t) => {
  const app = await harness(t);
  await busy(app);
  const all = await everyRow(app.as.liveKey);
  const { data } = await app.as.liveKey(list, { after_seq: 3, order: 'desc', limit: 200 });
  deepEqual(
    data.map(({ seq }) => seq),
    all
      .map(({ seq }) => seq)
      .slice(3)
      .toReversed(),
  );
});

test('a filter that no entry can match is rejected', async (t) => {
  const { as } = await harness(t);
  const wrong = [
    { action: 'api_key' },
    { action: '*' },
    { action: 'api_key.%' },
    { target_id: 'x' },
    { from: '2026-01-01' },
    { to: 'now' },
    { order: 'up' },
    { actor_id: '' },
  ];
  for (const query of wrong) await refused(as.liveKey(list, query), 400, 'invalid_request');
});
