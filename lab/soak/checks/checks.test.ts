// Every check rejects a history that breaks its invariant, and passes the same history without the
// fault. A check that never rejects anything would prove nothing.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { emptyHistory } from '../history.ts';
import { AT_ANY_TIME, checkAll, invariants, violationsUntilNow } from './all.ts';
import { feedCases } from './feed-histories.ts';
import { otherCases } from './other-histories.ts';

const cases = { ...feedCases, ...otherCases };

for (const { name, says, check } of invariants) {
  test(`the check of ${name} refuses a history in which this does not hold: ${says}`, () => {
    const { good, bad } = cases[name] ?? { good: emptyHistory, bad: [] };
    ok(bad.length > 0, 'no bad history is written for it');
    const held = check(good());
    ok(held.reached > 0, 'the good history has nothing to check');
    deepEqual(held.violations, []);
    for (const history of bad) ok(check(history()).violations.length > 0);
  });
}

test('with an empty history, every check says that it was not reached', () => {
  const verdicts = checkAll(emptyHistory());
  equal(verdicts.length, 25);
  ok(verdicts.every(({ reached, violations }) => reached === 0 && violations.length === 0));
});

test('violations visible in operations alone are found while a soak still runs', () => {
  for (const name of AT_ANY_TIME) {
    const { good, bad } = cases[name] ?? { good: emptyHistory, bad: [] };
    // Before the end, only operations are known.
    const now = (ops = emptyHistory().ops) => violationsUntilNow({ ...emptyHistory(), ops });
    deepEqual(now(good().ops), []);
    for (const history of bad) ok(now(history().ops).some((each) => each.startsWith(`${name}: `)));
  }
});
