// The plan depends only on the seed.
import { deepEqual, notDeepEqual, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { planOf } from './plan.ts';

const shape = { clients: 3, seconds: 20, faultKinds: ['kill', 'freeze', 'reset'] };

test('the same seed always gives the same steps and faults, and a different seed gives different ones', () => {
  deepEqual(planOf(7, shape), planOf(7, shape));
  notDeepEqual(planOf(7, shape).faults, planOf(8, shape).faults);
  notDeepEqual(planOf(7, shape).clients, planOf(8, shape).clients);
});

test('clients have different steps, and a longer plan starts with the same steps as a shorter one', () => {
  const short = planOf(7, shape);
  const long = planOf(7, { ...shape, seconds: 40 });
  notDeepEqual(short.clients[0], short.clients[1]);
  for (const [n, steps] of short.clients.entries()) {
    deepEqual(long.clients[n]?.slice(0, steps.length), steps);
  }
  deepEqual(long.faults.slice(0, short.faults.length), short.faults);
});

test('a plan includes faults of every kind, spread over its whole duration', () => {
  const { faults } = planOf(7, shape);
  deepEqual(new Set(faults.map(({ kind }) => kind)), new Set(shape.faultKinds));
  const ms = faults.reduce((sum, { pauseMs, forMs }) => sum + pauseMs + forMs, 0);
  ok(ms >= shape.seconds * 1_000);
});
