// The throttle: what it counts, for how long, and how much memory it can use.
import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { test } from 'node:test';
import { heldBytes } from '@keyrail/testing/heap.ts';
import { ApiError } from '../base/errors.ts';
import { createThrottle, type Throttle } from './throttle.ts';

const PER_CLIENT_MAX = 120;
const PER_EMAIL_MAX = 10;
const PER_RECIPIENT_MAX = 30;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** Charges the throttle as the endpoints do: first the client, then the email address. */
type Charging = Pick<Throttle, 'chargeRecipient'> & {
  charge(client: string, email?: string): Promise<void>;
  chargeReset(client: string, email: string): Promise<void>;
  chargeLogin: Throttle['chargeLogin'];
};

function charging(throttle: Throttle): Charging {
  const after =
    <T>(charge: (client: string, email: string) => Promise<T>) =>
    async (client: string, email: string) => {
      await throttle.chargeClient(client);
      return charge(client, email);
    };
  const signUp = after((_, email) => throttle.chargeSignUp(email));
  return {
    chargeRecipient: throttle.chargeRecipient,
    charge: (client, email) =>
      email === undefined ? throttle.chargeClient(client) : signUp(client, email),
    chargeReset: after((_, email) => throttle.chargeReset(email)),
    chargeLogin: after((client, email) => throttle.chargeLogin(client, email)),
  };
}

function setUp(): { throttle: Charging; pass(ms: number): void } {
  let nowMs = Date.parse('2026-03-01T12:00:00Z');
  return {
    throttle: charging(createThrottle({ now: () => new Date(nowMs), shiftMs: () => 0 })),
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

test('an email address can be tried ten times a minute across all clients', async () => {
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

test('a client can make 120 attempts a minute across all email addresses', async () => {
  const { throttle, pass } = setUp();
  await times(PER_CLIENT_MAX, (n) => throttle.charge('192.0.2.1', `${n}@example.com`));
  await retryAfter(() => throttle.charge('192.0.2.1', 'new@example.com'));
  await retryAfter(() => throttle.charge('192.0.2.1'));
  await throttle.charge('192.0.2.2', 'new@example.com');
  pass(MINUTE_MS);
  await throttle.charge('192.0.2.1', 'new@example.com');
});

test('all addresses in one IPv6 /64 network count as one client', async () => {
  const { throttle } = setUp();
  await times(PER_CLIENT_MAX, (n) => throttle.charge(`2001:db8:0:7:${n.toString(16)}::${n}`));
  await retryAfter(() => throttle.charge('2001:db8::7:1:2:3:4'));
  await retryAfter(() => throttle.charge('2001:DB8:0:7::'));
  const others = ['2001:db8:0:8::1', '2001:dba:0:7::1', '2001:db8::7', 'fe80::7%eth0', '::1'];
  for (const other of [...others, 'unknown']) {
    await throttle.charge(other);
  }
});

test("IPv6 clients in the same /56 share four times a single client's limit, and those in the same /48 sixteen times", async () => {
  const { throttle } = setUp();
  /** Counts the attempts allowed from the 256 networks in a /56. */
  const allowedFrom = async (home: string): Promise<number> => {
    let allowed = 0;
    for (let n = 0; n < 6 * PER_CLIENT_MAX; n += 1) {
      const address = `2001:db8:1:${home}${(n % 256).toString(16).padStart(2, '0')}::1`;
      const isAllowed = await throttle.charge(address).then(
        () => true,
        () => false,
      );
      if (isAllowed) allowed += 1;
    }
    return allowed;
  };
  for (const home of ['a0', 'b0', 'c', '']) equal(await allowedFrom(home), 4 * PER_CLIENT_MAX);
  equal(await allowedFrom('d0'), 0);
  await throttle.charge('2001:db8:2:d000::1');
});

test('each IPv4 client is counted separately, no matter which notation its address uses', async () => {
  const { throttle } = setUp();
  await times(PER_CLIENT_MAX, () => throttle.charge('::ffff:192.0.2.1'));
  await retryAfter(() => throttle.charge('::FFFF:192.0.2.1'));
  await retryAfter(() => throttle.charge('192.0.2.1'));
  await throttle.charge('::ffff:192.0.2.2');
  await throttle.charge('192.0.2.2');
});

test('attempts while blocked do not extend the block', async () => {
  const { throttle, pass } = setUp();
  await times(PER_EMAIL_MAX, () => throttle.charge('192.0.2.1', 'ada@example.com'));
  await times(50, () => retryAfter(() => throttle.charge('192.0.2.1', 'ada@example.com')));
  pass(MINUTE_MS);
  await throttle.charge('192.0.2.1', 'ada@example.com');
});

test('the limit on emails to an address is case-insensitive', async () => {
  const { throttle } = setUp();
  await times(PER_RECIPIENT_MAX, () => throttle.chargeRecipient('ada@example.com'));
  await retryAfter(() => throttle.chargeRecipient('Ada@Example.com'));
  await throttle.chargeRecipient('grace@example.com');
});

test('a client and an email address with the same text are counted separately', async () => {
  const { throttle } = setUp();
  await times(PER_EMAIL_MAX, (n) => throttle.charge(`${n}`, 'x'));
  await throttle.charge('x');
});

test('failed logins do not block resets or sign-ups, and vice versa', async () => {
  const { throttle } = setUp();
  const client = '192.0.2.1';
  const charges = [
    () => throttle.charge(client, 'ada@example.com'),
    () => throttle.chargeReset(client, 'ada@example.com'),
    async () => void (await throttle.chargeLogin(client, 'ada@example.com')),
  ];
  for (const charge of charges) {
    await times(PER_EMAIL_MAX, charge);
    equal(await retryAfter(charge), 60);
  }
});

test('a client that has signed in with an email address is a known client for that address', async () => {
  const { throttle, pass } = setUp();
  const login = (client: string) => throttle.chargeLogin(client, 'ada@example.com');
  await (await login('192.0.2.1')).succeeded();
  pass(MINUTE_MS);
  await times(PER_EMAIL_MAX, async (n) => {
    const { refusal, isKnownClient } = await login(`198.51.100.${n}`);
    deepEqual([refusal, isKnownClient], [null, false]);
  });
  const known = await login('192.0.2.1');
  const other = await login('192.0.2.2');
  deepEqual([known.isKnownClient, other.isKnownClient], [true, false]);
  for (const { refusal } of [known, other]) {
    deepEqual([refusal?.code, refusal?.headers], ['rate_limited', { 'retry-after': '60' }]);
  }
  equal((await throttle.chargeLogin('192.0.2.1', 'grace@example.com')).isKnownClient, false);
  equal((await throttle.chargeLogin('192.0.2.1', 'Ada@Example.com')).isKnownClient, true);
});

test('a known client has a limited budget of its own, which other clients cannot use up', async () => {
  const { throttle } = setUp();
  const login = (client: string) => throttle.chargeLogin(client, 'ada@example.com');
  await (await login('192.0.2.1')).succeeded();
  await times(3 * PER_EMAIL_MAX, (n) => login(`198.51.100.${n}`));
  await times(PER_EMAIL_MAX - 1, async () => ok((await login('192.0.2.1')).isKnownClient));
  equal(await retryAfter(async () => void (await login('192.0.2.1'))), 60);
});

test('a client stays known for 31 days after its last login', async () => {
  const { throttle, pass } = setUp();
  const login = () => throttle.chargeLogin('192.0.2.1', 'ada@example.com');
  await (await login()).succeeded();
  pass(20 * DAY_MS);
  equal((await login()).isKnownClient, true);
  await (await login()).succeeded();
  pass(20 * DAY_MS);
  equal((await login()).isKnownClient, true);
  pass(20 * DAY_MS);
  equal((await login()).isKnownClient, false);
});

test('a flood of new counters evicts the oldest ones, but never one that has reached its limit', async () => {
  const { throttle } = setUp();
  const guess = () => throttle.charge('192.0.2.1', 'ada@example.com');
  await times(PER_CLIENT_MAX, () => throttle.charge('192.0.2.2'));
  await times(PER_CLIENT_MAX - 1, () => throttle.charge('192.0.2.3'));
  await times(PER_EMAIL_MAX, guess);
  const before = heldBytes();
  await times(110_000, (n) => throttle.charge(`10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`));
  ok(heldBytes() - before < 50_000_000);
  await retryAfter(guess);
  await retryAfter(() => throttle.charge('192.0.2.2'));
  // This address's counter was evicted; otherwise the second attempt would be denied.
  await times(2, () => throttle.charge('192.0.2.3'));
});
