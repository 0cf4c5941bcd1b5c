// A second app on the same store: with a throttle, with a wrong clock, or with every statement it
// sends recorded.
import type { TestContext } from 'node:test';
import type { AppParts } from '@keyrail/server/app.ts';
import { deadlineAfter } from '@keyrail/server/base/deadline.ts';
import type { Database, Opening, Statement, Transaction } from '@keyrail/server/db/database.ts';
import { type Caller, callerWith } from './harness.ts';
import type { TestApp } from './test-app.ts';

export type Beside = TestApp & { as(token: string | null): Caller };

/** Closes when the test ends; the store stays open. */
export function appBeside(t: TestContext, testApp: TestApp, changes: Partial<AppParts>): Beside {
  const db = { ...(changes.db ?? testApp.db), close: async () => {} };
  const app = testApp.variant({ ...changes, db });
  t.after(() => app.close());
  const opened = { ...testApp, app, db };
  return { ...opened, as: (token) => callerWith(opened, token) };
}

export type Sent = { text: string; count: number };

export type Traced = {
  db: Database;
  /**
   * Returns the statements sent since the last call, in order, including transaction starts and
   * ends.
   */
  take(): Sent[];
};

export function traced(db: Database): Traced {
  let sent: Sent[] = [];
  const noted = async (statement: Statement, run: () => ReturnType<Transaction['run']>) => {
    const note = { text: statement.text, count: 0 };
    sent.push(note);
    const answer = await run();
    note.count = answer.count;
    return answer;
  };
  return {
    db: {
      ...db,
      once: (opening, statement) => noted(statement, () => db.once(opening, statement)),
      transaction: (opening, body) => {
        sent.push({ text: `begin as ${opening.role}`, count: 0 });
        return db.transaction(opening, async ({ now, run }) => {
          const ending = await body({
            now,
            run: (statement) => noted(statement, () => run(statement)),
          });
          const last = ending.kind === 'commit' ? ending.last : [];
          sent.push(...[...last, { text: ending.kind }].map(({ text }) => ({ text, count: 0 })));
          return ending;
        });
      },
    },
    take() {
      const taken = sent;
      sent = [];
      return taken;
    },
  };
}

/** A store in which every statement that contains `word` fails, as on a broken disk. */
export const failingAt = (db: Database, word: string): Database => ({
  ...db,
  transaction: (opening, body) =>
    db.transaction(opening, async ({ now, run }) => {
      const ending = await body({
        now,
        run: (statement) =>
          statement.text.includes(word) ? Promise.reject(new Error('broken')) : run(statement),
      });
      if (word === 'commit') throw new Error('broken');
      return ending;
    }),
});

const UNHURRIED_MS = 60_000;

/** A store that gives each statement a minute, so that no request is rejected on a slow machine. */
export function unhurried(db: Database): Database {
  const later = <Waiting extends Pick<Opening, 'deadline'>>(opening: Waiting): Waiting => ({
    ...opening,
    deadline: deadlineAfter(UNHURRIED_MS),
  });
  return {
    ...db,
    once: (opening, statement) => db.once(later(opening), statement),
    transaction: (opening, body) => db.transaction(later(opening), body),
    expect: (opening) => db.expect(later(opening)),
  };
}
