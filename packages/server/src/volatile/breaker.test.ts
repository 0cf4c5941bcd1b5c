// What a breaker tells: each reason of an outage once, and its end.
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { openBreaker } from './breaker.ts';

const refused = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
const closed = new Error('Connection is closed.');

function rig() {
  const told: string[] = [];
  const breaker = openBreaker({
    onFault: (reason) => told.push(reason),
    onBack: () => told.push('back'),
  });
  return { told, breaker };
}

test('reasons that take turns are told once each, and so is the end', () => {
  const { told, breaker } = rig();
  breaker.close();
  deepEqual(told, [], 'nothing was lost yet');
  for (let n = 0; n < 100; n += 1) {
    breaker.note(refused);
    breaker.pulseFailed(closed);
  }
  deepEqual(told, ['ECONNREFUSED', 'not connected']);
  equal(breaker.isOpen(), true);
  breaker.close();
  breaker.close();
  deepEqual(told.slice(2), ['back']);
  breaker.pulseFailed(closed);
  deepEqual(told.slice(3), ['not connected'], 'another outage is news');
});

test('a breaker that was silenced tells neither', () => {
  const { told, breaker } = rig();
  breaker.pulseFailed(refused);
  breaker.silence();
  breaker.pulseFailed(closed);
  breaker.close();
  deepEqual(told, ['ECONNREFUSED']);
});
