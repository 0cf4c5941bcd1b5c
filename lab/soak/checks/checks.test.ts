// Every check rejects a history that breaks its invariant, and accepts the same history without the
// fault. A check that never rejects anything would prove nothing.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { emptyHistory } from '../history.ts';
import { AT_ANY_TIME, checkAll, invariants, violationsUntilNow } from './all.ts';
import { feedCases } from './feed-histories.ts';
import { otherCases } from './other-histories.ts';

const cases = { ...feedCases, ...otherCases };

for (const { name, says, check } of invariants) {
  test(`check ${name} rejects a history that breaks its invariant: ${says}`, () => {
    const { good, bad } = cases[name] ?? { good: emptyHistory, bad: [] };
    ok(bad.length > 0, 'there is no bad history for this check');
    const held = check(good());
    ok(held.reached > 0, 'the good history gives the check nothing to do');
    deepEqual(held.violations, []);
    for (const history of bad) ok(check(history()).violations.length > 0);
  });
}

test('with an empty history, every check reports that it had nothing to check', () => {
  const verdicts = checkAll(emptyHistory());
  equal(verdicts.length, 25);
  ok(verdicts.every(({ reached, violations }) => reached === 0 && violations.length === 0));
});

test('violations that the operations alone reveal are reported while a soak is still running', () => {
  for (const name of AT_ANY_TIME) {
    const { good, bad } = cases[name] ?? { good: emptyHistory, bad: [] };
    // While a soak is running, its history contains only operations.
    const now = (ops = emptyHistory().ops) => violationsUntilNow({ ...emptyHistory(), ops });
    deepEqual(now(good().ops), []);
    for (const history of bad) ok(now(history().ops).some((each) => each.startsWith(`${name}: `)));
  }
});
