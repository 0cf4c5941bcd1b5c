// What a breaker tells: each reason of an outage once, and its end.
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { boundedBy, openBreaker } from './breaker.ts';

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

test('three faults in a row open it, and only in a row', () => {
  const { breaker } = rig();
  equal(breaker.isOpen(), true, 'nothing has been heard yet');
  breaker.close();
  breaker.failed(closed);
  breaker.failed(closed);
  breaker.worked();
  breaker.failed(closed);
  breaker.failed(closed);
  equal(breaker.isOpen(), false);
  breaker.close();
  breaker.failed(closed);
  breaker.failed(closed);
  equal(breaker.isOpen(), false);
  breaker.failed(closed);
  equal(breaker.isOpen(), true);
});

test('a pulse without an answer counts like any fault, a refused one is enough', async () => {
  const { breaker } = rig();
  const silent = await boundedBy(1)(new Promise(() => {})).catch((fault: unknown) => fault);
  breaker.close();
  breaker.pulseFailed(silent);
  breaker.pulseFailed(silent);
  equal(breaker.isOpen(), false);
  breaker.pulseFailed(silent);
  equal(breaker.isOpen(), true);
  breaker.close();
  breaker.pulseFailed(refused);
  equal(breaker.isOpen(), true);
});

test('of a fault that is not known nothing is told', () => {
  const { told, breaker } = rig();
  breaker.note(new Error('connect to redis://:secret@host failed'));
  deepEqual([told, breaker.reason()], [['failed'], 'failed']);
});

test('a breaker that was silenced tells neither', () => {
  const { told, breaker } = rig();
  breaker.pulseFailed(refused);
  breaker.silence();
  breaker.pulseFailed(closed);
  breaker.close();
  deepEqual(told, ['ECONNREFUSED']);
});
