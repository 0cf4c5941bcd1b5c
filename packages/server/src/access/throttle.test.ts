// The throttle by itself: what it counts, for how long, and that its memory is bounded.
import { equal, ok, throws } from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '../base/errors.ts';
import { type Throttle, throttleBy } from './throttle.ts';

const PER_CLIENT_MAX = 120;
const PER_EMAIL_MAX = 10;
const PER_RECIPIENT_MAX = 30;
const MINUTE_MS = 60_000;

function setUp(): { throttle: Throttle; pass(ms: number): void } {
  let nowMs = Date.parse('2026-03-01T12:00:00Z');
  return {
    throttle: throttleBy({ now: () => new Date(nowMs), shiftMs: () => 0 }),
    pass: (ms) => {
      nowMs += ms;
    },
  };
}

const retryAfter = (charge: () => void): number => {
  let seconds = 0;
  throws(charge, (error: unknown) => {
    ok(error instanceof ApiError);
    equal(error.code, 'rate_limited');
    seconds = Number(error.headers['retry-after']);
    return true;
  });
  return seconds;
};

const times = (count: number, act: (n: number) => void) => {
  for (let n = 0; n < count; n += 1) act(n);
};

test('an address may be tried ten times a minute, from wherever', () => {
  const { throttle, pass } = setUp();
  times(PER_EMAIL_MAX, (n) => throttle.charge(`192.0.2.${n}`, 'ada@example.com'));
  equal(
    retryAfter(() => throttle.charge('198.51.100.1', 'ADA@example.com')),
    60,
  );
  throttle.charge('198.51.100.1', 'grace@example.com');
  pass(20_000);
  equal(
    retryAfter(() => throttle.charge('198.51.100.1', 'ada@example.com')),
    40,
  );
  pass(39_500);
  equal(
    retryAfter(() => throttle.charge('198.51.100.1', 'ada@example.com')),
    1,
  );
  pass(500);
  throttle.charge('198.51.100.1', 'ada@example.com');
});

test('a client may knock a hundred and twenty times a minute, for whomever', () => {
  const { throttle, pass } = setUp();
  times(PER_CLIENT_MAX, (n) => throttle.charge('192.0.2.1', `${n}@example.com`));
  retryAfter(() => throttle.charge('192.0.2.1', 'new@example.com'));
  retryAfter(() => throttle.charge('192.0.2.1'));
  throttle.charge('192.0.2.2', 'new@example.com');
  pass(MINUTE_MS);
  throttle.charge('192.0.2.1', 'new@example.com');
});

test('all addresses of one network that is given to a single client are one client', () => {
  const { throttle } = setUp();
  times(PER_CLIENT_MAX, (n) => throttle.charge(`2001:db8:0:7:${n.toString(16)}::${n}`));
  retryAfter(() => throttle.charge('2001:db8::7:1:2:3:4'));
  retryAfter(() => throttle.charge('2001:DB8:0:7::'));
  for (const other of [
    '2001:db8:0:8::1',
    '2001:dba:0:7::1',
    '2001:db8::7',
    'fe80::7%eth0',
    '::1',
    'unknown',
  ]) {
    throttle.charge(other);
  }
});

test('clients that come by IPv4 are told apart, however the socket writes them', () => {
  const { throttle } = setUp();
  times(PER_CLIENT_MAX, () => throttle.charge('::ffff:192.0.2.1'));
  retryAfter(() => throttle.charge('::FFFF:192.0.2.1'));
  retryAfter(() => throttle.charge('192.0.2.1'));
  throttle.charge('::ffff:192.0.2.2');
  throttle.charge('192.0.2.2');
});

test('knocking on while refused does not shut the door for longer', () => {
  const { throttle, pass } = setUp();
  times(PER_EMAIL_MAX, () => throttle.charge('192.0.2.1', 'ada@example.com'));
  times(50, () => retryAfter(() => throttle.charge('192.0.2.1', 'ada@example.com')));
  pass(MINUTE_MS);
  throttle.charge('192.0.2.1', 'ada@example.com');
});

test('mail to an address is bounded however the address is written', () => {
  const { throttle } = setUp();
  times(PER_RECIPIENT_MAX, () => throttle.chargeRecipient('ada@example.com'));
  retryAfter(() => throttle.chargeRecipient('Ada@Example.com'));
  throttle.chargeRecipient('grace@example.com');
});

test('a client address and a mail address of one spelling are two things', () => {
  const { throttle } = setUp();
  times(PER_EMAIL_MAX, (n) => throttle.charge(`${n}`, 'x'));
  throttle.charge('x');
});

test('a flood of names is forgotten from its beginning, and a busy one is not', () => {
  const { throttle } = setUp();
  const guess = () => throttle.charge('192.0.2.1', 'ada@example.com');
  times(PER_EMAIL_MAX, guess);
  times(PER_EMAIL_MAX, () => throttle.charge('192.0.2.2', 'grace@example.com'));
  const before = process.memoryUsage().heapUsed;
  times(110_000, (n) => {
    throttle.charge(`10.0.${n >> 8}.${n & 255}`);
    if (n % 40_000 === 0) retryAfter(guess);
  });
  retryAfter(guess);
  throttle.charge('192.0.2.3', 'grace@example.com'); // it was not tried again, and is forgotten
  ok(process.memoryUsage().heapUsed - before < 100_000_000);
});
