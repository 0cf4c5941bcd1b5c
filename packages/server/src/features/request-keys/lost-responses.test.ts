// Loses the database connection between any two steps of a request with an idempotency key.
// Repeating the request with the same key creates one API key, not two. The 503 returned for the
// first attempt says whether that API key may exist.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type Answer, ask, codeOf, type Harness, harness } from '@keyrail/testing/harness.ts';
import type { Database } from '../../db/database.ts';
import { StoreUnavailable } from '../../db/faults.ts';

const create = 'POST /v1/keys';
const STEPS_MAX = 20;

/**
 * When the connection is lost: after this many statements, before all of them, or after the commit.
 */
type Step = number | 'before' | 'after the commit';

const lost = () => new StoreUnavailable('the connection was lost');

/** Loses the connection at the given step of the next change. */
function losing(db: Database, next: { step: Step | null }): Database {
  return {
    ...db,
    async transaction(opening, body) {
      const { step } = next;
      if (opening.role !== 'kr_write' || step === null) return db.transaction(opening, body);
      next.step = null;
      if (step === 'before') throw lost();
      const result = await db.transaction(opening, ({ now, run }) => {
        let left = step === 'after the commit' ? STEPS_MAX : step;
        return body({
          now,
          run: async (statement) => {
            if (left === 0) throw lost();
            left -= 1;
            return run(statement);
          },
        });
      });
      if (step === 'after the commit') throw lost();
      return result;
    },
  };
}

type Ground = Harness & { make(key: string): Promise<Answer>; next: { step: Step | null } };

async function ground(t: TestContext): Promise<Ground> {
  const app = await harness(t);
  const next: Ground['next'] = { step: null };
  const { testApp } = app;
  const variant = testApp.variant({ db: losing(testApp.db, next) });
  t.after(() => variant.http.close());
  const input = {
    project_id: (await app.given.project()).id,
    tenant_id: (await app.given.tenant()).id,
    env: 'live',
  };
  const authorization = `Bearer ${app.tokens.liveKey}`;
  return {
    ...app,
    next,
    make: (key) =>
      ask({ ...testApp, app: variant }, create, {
        input,
        headers: { authorization, 'idempotency-key': key },
      }),
  };
}

const outcomeOf = ({ body }: Answer) => Object(body.error).outcome;

/**
 * Sends a request whose connection is lost at the given step, then repeats it. Returns the first
 * response.
 */
async function madeOnce({ make, next, as }: Ground, step: Step): Promise<Answer> {
  next.step = step;
  const key = `lost-${step}`.replaceAll(' ', '-');
  const before = (await as.liveKey('GET /v1/keys')).data.length;
  const first = await make(key);
  let second = await make(key);
  // It may take the store a moment to notice that the connection is lost.
  while (codeOf(second) === 'idempotency_in_progress') second = await make(key);
  equal(second.status, 201, second.text);
  equal((await as.liveKey('GET /v1/keys')).data.length, before + 1, `lost at ${step}`);
  equal((await make(key)).body.id, second.body.id);
  return first;
}

test('if the connection is lost before or between any statements, no changes are kept', async (t) => {
  const app = await ground(t);
  const first = await madeOnce(app, 'before');
  deepEqual([first.status, outcomeOf(first)], [503, 'not_done']);
  let steps = 0;
  for (; steps < STEPS_MAX; steps += 1) {
    const answer = await madeOnce(app, steps);
    if (answer.status === 201) break;
    deepEqual([answer.status, outcomeOf(answer)], [503, 'not_done'], `after ${steps}`);
  }
  ok(steps > 1 && steps < STEPS_MAX, `the request had ${steps} statements`);
});

test('if the response is lost after the commit, repeating the request replays it', async (t) => {
  const app = await ground(t);
  const first = await madeOnce(app, 'after the commit');
  deepEqual([first.status, outcomeOf(first)], [503, 'unknown']);
});
