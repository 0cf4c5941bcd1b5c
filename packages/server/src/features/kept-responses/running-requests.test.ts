// A second request with the key of one that is still running.
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { type Answer, ask, codeOf, harness } from '@keyrail/testing/harness.ts';
import type { Database } from '../../db/database.ts';

const create = 'POST /v1/tenants';

/** Holds the first change open after its last statement, until it is released. */
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

test('while a request runs, a second one with its key is refused without waiting', async (t) => {
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
  // The embedded store has one connection: there the second request gets its turn after the first.
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
