// A breaker reports each reason for an outage once, and reports when the outage ends.
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { boundedBy, createBreakers } from './breaker.ts';

const refused = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
const closed = new Error('Connection is closed.');

function rig() {
  const reported: string[] = [];
  const breakers = createBreakers({
    onFault: (reason) => reported.push(reason),
    onBack: () => reported.push('back'),
  });
  return { reported, breakers, breaker: breakers.of('one') };
}

test('alternating reasons are reported only once each, and so is the end of the outage', () => {
  const { reported, breaker } = rig();
  breaker.close();
  deepEqual(reported, [], 'no fault has occurred yet');
  for (let n = 0; n < 100; n += 1) {
    breaker.note(refused);
    breaker.pulseFailed(closed);
  }
  deepEqual(reported, ['ECONNREFUSED', 'not connected']);
  equal(breaker.isOpen(), true);
  breaker.close();
  breaker.close();
  deepEqual(reported.slice(2), ['back']);
  breaker.pulseFailed(closed);
  deepEqual(reported.slice(3), ['not connected'], 'the next outage is reported again');
});

test('only three consecutive faults open the breaker', () => {
  const { breaker } = rig();
  equal(breaker.isOpen(), true, 'no pulse has succeeded yet');
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

test('three pulses that time out open the breaker, and so does a single refused connection', async () => {
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

test("an unknown fault's message is not reported", () => {
  const { reported, breaker } = rig();
  breaker.note(new Error('connect to redis://:secret@host failed'));
  deepEqual([reported, breaker.reason()], [['failed'], 'failed']);
});

test('a silenced breaker reports neither faults nor recoveries', () => {
  const { reported, breakers, breaker } = rig();
  breaker.pulseFailed(refused);
  breakers.silence();
  breaker.pulseFailed(closed);
  breaker.close();
  deepEqual(reported, ['ECONNREFUSED']);
});

test('a fault on one server does not affect the others; recovery is reported once all servers work', () => {
  const { reported, breakers, breaker } = rig();
  const other = breakers.of('other');
  breaker.close();
  other.close();
  breaker.pulseFailed(refused);
  other.pulseFailed(refused);
  deepEqual(reported, ['ECONNREFUSED'], 'one reason is reported once');
  other.close();
  deepEqual([breaker.isOpen(), other.isOpen(), breakers.isOpen()], [true, false, false]);
  equal(breakers.reason(), 'ECONNREFUSED');
  deepEqual(reported, ['ECONNREFUSED']);
  equal(breakers.of('later').isOpen(), false, 'a server that joins has no faults yet');
  breakers.keep(['other', 'later']);
  equal(breakers.reason(), null);
  other.close();
  deepEqual(reported, ['ECONNREFUSED', 'back']);
});
