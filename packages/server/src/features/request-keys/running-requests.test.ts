// What happens to a second request with the same idempotency key while the first is running, and
// how many additional statements an idempotency key costs.
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { type Answer, ask, codeOf, harness } from '@keyrail/testing/harness.ts';
import type { Database, Statement } from '../../db/database.ts';

const create = 'POST /v1/tenants';

/**
 * Keeps the first change's transaction open after its last statement, until the test releases it.
 */
function holding(db: Database) {
  const held = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  let isFirst = true;
  const paused: Database = {
    ...db,
    transaction(opening, body) {
      if (opening.role !== 'kr_write' || !isFirst) return db.transaction(opening, body);
      isFirst = false;
      return db.transaction(opening, async (tx) => {
        const ending = await body(tx);
        held.resolve();
        await release.promise;
        return ending;
      });
    },
  };
  return { paused, held: held.promise, release: release.resolve };
}

const told = (answer: Answer) => [
  answer.status,
  codeOf(answer),
  answer.headers['idempotent-replayed'],
];

test('while a request is running, a second request with its key is rejected without waiting', async (t) => {
  const { testApp, tokens } = await harness(t);
  const { paused, held, release } = holding(testApp.db);
  const variant = testApp.variant({ db: paused });
  t.after(() => variant.http.close());
  const headers = { authorization: `Bearer ${tokens.liveKey}`, 'idempotency-key': 'k' };
  const make = () =>
    ask({ ...testApp, app: variant }, create, { input: { external_id: 'a' }, headers });

  const first = make();
  await held;
  const second = make();
  // The embedded store has only one connection, so the second request runs after the first.
  if (testApp.db.kind === 'postgres') {
    const refusal = await second;
    deepEqual(told(refusal), [409, 'idempotency_in_progress', undefined]);
    equal(refusal.headers['retry-after'], '1');
  }
  release();
  deepEqual(told(await first), [201, undefined, undefined]);
  if (testApp.db.kind === 'embedded') deepEqual(told(await second), [201, undefined, 'true']);
  const third = await make();
  deepEqual(told(third), [201, undefined, 'true']);
  equal(third.body.id, (await first).body.id);
});

/** Collects the text of every SQL statement run by changes. */
function collecting(db: Database, texts: string[]): Database {
  return {
    ...db,
    transaction: (opening, body) =>
      db.transaction(opening, async ({ now, run }) => {
        if (opening.role !== 'kr_write') return body({ now, run });
        const noted = (statement: Statement) => {
          texts.push(statement.text);
          return run(statement);
        };
        const ending = await body({ now, run: noted });
        if (ending.kind === 'commit') texts.push(...ending.last.map(({ text }) => text));
        return ending;
      }),
  };
}

test('an idempotency key costs two additional statements; requests without one run neither', async (t) => {
  const { testApp, tokens } = await harness(t);
  const texts: string[] = [];
  const variant = testApp.variant({ db: collecting(testApp.db, texts) });
  t.after(() => variant.http.close());
  const statementsOf = async (external_id: string, more: Record<string, string>) => {
    texts.length = 0;
    const headers = { authorization: `Bearer ${tokens.liveKey}`, ...more };
    await ask({ ...testApp, app: variant }, create, { input: { external_id }, headers });
    return { all: texts.length, kept: texts.filter((text) => /keep|kept/.test(text)).length };
  };
  const plain = await statementsOf('a', {});
  equal(plain.kept, 0);
  deepEqual(await statementsOf('b', { 'idempotency-key': 'b' }), { all: plain.all + 2, kept: 2 });
});
