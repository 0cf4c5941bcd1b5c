// The server's clock decides when tokens are renewed, even if the browser's clock is wrong.
import { equal } from 'node:assert/strict';
import { test } from 'node:test';
import { delayOfRenewal, waitsBetween } from './renewal-times.ts';

const at = (seconds: number): string => new Date(Date.UTC(2020, 0) + seconds * 1000).toISOString();
const token = (refresh_after: string) => ({ token: 'a', refresh_after });

test("a token is renewed at refresh_after, according to the server's clock", () => {
  const session = { expires_at: at(300), expires_in: 300 };
  equal(delayOfRenewal(token(at(240)), session), 240_000);
  equal(delayOfRenewal(token(at(240)), { expires_at: at(300), expires_in: 200 }), 140_000);
});

test('the delay before a renewal has a minimum and a maximum, so a wrong time never causes a loop', () => {
  const session = { expires_at: at(300), expires_in: 300 };
  equal(delayOfRenewal(token(at(-9999)), session), 10_000);
  equal(delayOfRenewal(token(at(99_999)), session), 600_000);
  equal(delayOfRenewal(token('soon'), session), 240_000, '80% of its lifetime');
});

test('at most three attempts are made to get a token, all within a minute if the old one is about to expire', () => {
  for (const reason of ['start', 'refresh', 'refused'] as const) {
    equal(waitsBetween(reason).length, 2);
  }
  equal(waitsBetween('refresh').reduce((sum, ms) => sum + ms) < 60_000, true);
});
