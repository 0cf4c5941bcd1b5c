// The throttle by itself: what it counts, for how long, and that its memory is bounded.
import { equal, ok, rejects } from 'node:assert/strict';
import { test } from 'node:test';
import { heldBytes } from '../../../../tests/held-bytes.ts';
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

const retryAfter = async (charge: () => Promise<void>): Promise<number> => {
  let seconds = 0;
  await rejects(charge, (error: unknown) => {
    ok(error instanceof ApiError);
    equal(error.code, 'rate_limited');
    seconds = Number(error.headers['retry-after']);
    return true;
  });
  return seconds;
};

const times = async (count: number, act: (n: number) => Promise<unknown>) => {
  for (let n = 0; n < count; n += 1) await act(n);
};

test('an address may be tried ten times a minute, from wherever', async () => {
  const { throttle, pass } = setUp();
  await times(PER_EMAIL_MAX, (n) => throttle.charge(`192.0.2.${n}`, 'ada@example.com'));
  equal(await retryAfter(() => throttle.charge('198.51.100.1', 'ADA@example.com')), 60);
  await throttle.charge('198.51.100.1', 'grace@example.com');
  pass(20_000);
  equal(await retryAfter(() => throttle.charge('198.51.100.1', 'ada@example.com')), 40);
  pass(39_500);
  equal(await retryAfter(() => throttle.charge('198.51.100.1', 'ada@example.com')), 1);
  pass(500);
  await throttle.charge('198.51.100.1', 'ada@example.com');
});

test('a client may knock a hundred and twenty times a minute, for whomever', async () => {
  const { throttle, pass } = setUp();
  await times(PER_CLIENT_MAX, (n) => throttle.charge('192.0.2.1', `${n}@example.com`));
  await retryAfter(() => throttle.charge('192.0.2.1', 'new@example.com'));
  await retryAfter(() => throttle.charge('192.0.2.1'));
  await throttle.charge('192.0.2.2', 'new@example.com');
  pass(MINUTE_MS);
  await throttle.charge('192.0.2.1', 'new@example.com');
});

test('all addresses of one network that is given to a single client are one client', async () => {
  const { throttle } = setUp();
  await times(PER_CLIENT_MAX, (n) => throttle.charge(`2001:db8:0:7:${n.toString(16)}::${n}`));
  await retryAfter(() => throttle.charge('2001:db8::7:1:2:3:4'));
  await retryAfter(() => throttle.charge('2001:DB8:0:7::'));
  const others = ['2001:db8:0:8::1', '2001:dba:0:7::1', '2001:db8::7', 'fe80::7%eth0', '::1'];
  for (const other of [...others, 'unknown']) {
    await throttle.charge(other);
  }
});

test('clients that come by IPv4 are told apart, however the socket writes them', async () => {
  const { throttle } = setUp();
  await times(PER_CLIENT_MAX, () => throttle.charge('::ffff:192.0.2.1'));
  await retryAfter(() => throttle.charge('::FFFF:192.0.2.1'));
  await retryAfter(() => throttle.charge('192.0.2.1'));
  await throttle.charge('::ffff:192.0.2.2');
  await throttle.charge('192.0.2.2');
});

test('knocking on while refused does not shut the door for longer', async () => {
  const { throttle, pass } = setUp();
  await times(PER_EMAIL_MAX, () => throttle.charge('192.0.2.1', 'ada@example.com'));
  await times(50, () => retryAfter(() => throttle.charge('192.0.2.1', 'ada@example.com')));
  pass(MINUTE_MS);
  await throttle.charge('192.0.2.1', 'ada@example.com');
});

test('mail to an address is bounded however the address is written', async () => {
  const { throttle } = setUp();
  await times(PER_RECIPIENT_MAX, () => throttle.chargeRecipient('ada@example.com'));
  await retryAfter(() => throttle.chargeRecipient('Ada@Example.com'));
  await throttle.chargeRecipient('grace@example.com');
});

test('a client address and a mail address of one spelling are two things', async () => {
  const { throttle } = setUp();
  await times(PER_EMAIL_MAX, (n) => throttle.charge(`${n}`, 'x'));
  await throttle.charge('x');
});

test('a flood of names is forgotten from its beginning, and a busy one is not', async () => {
  const { throttle } = setUp();
  const guess = () => throttle.charge('192.0.2.1', 'ada@example.com');
  await times(PER_CLIENT_MAX, () => throttle.charge('192.0.2.2'));
  await times(PER_EMAIL_MAX, guess);
  const before = heldBytes();
  await times(110_000, async (n) => {
    await throttle.charge(`10.0.${n >> 8}.${n & 255}`);
    if (n % 40_000 === 0) await retryAfter(guess);
  });
  await retryAfter(guess);
  ok(heldBytes() - before < 50_000_000);
  // Had it not been forgotten, it would be refused.
  await throttle.charge('192.0.2.2');
});
