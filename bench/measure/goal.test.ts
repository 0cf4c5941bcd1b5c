import { equal } from 'node:assert/strict';
import { test } from 'node:test';
import { atLeast, atMost, attainment, higherIsBetter, showGoal } from './goal.ts';

test('a goal is met or missed when the whole interval is on one side of the limit', () => {
  equal(attainment(atLeast(2), [3, 4, 5, 6, 7]), 'met');
  equal(attainment(atLeast(9), [3, 4, 5, 6, 7]), 'missed');
  equal(attainment(atMost(9), [3, 4, 5, 6, 7]), 'met');
  equal(attainment(atMost(2), [3, 4, 5, 6, 7]), 'missed');
});

test("the verdict is unclear when the goal's limit lies within the interval", () => {
  equal(attainment(atLeast(5), [3, 4, 5, 6, 7]), 'unclear');
  equal(attainment(atMost(5), [3, 4, 5, 6, 7]), 'unclear');
});

test('a single value equal to its limit meets the goal', () => {
  equal(attainment(atLeast(5), [5]), 'met');
  equal(attainment(atMost(5), [5]), 'met');
  equal(attainment(atMost(5), [5.1]), 'missed');
});

test('a result without a limit is shown without a verdict', () => {
  equal(attainment(higherIsBetter, [1]), null);
  equal(showGoal(higherIsBetter, String), 'context');
  equal(
    showGoal(atMost(2), (value) => `${value} s`),
    '<= 2 s',
  );
});
