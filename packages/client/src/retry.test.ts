// When calls are retried, and how the client reads response headers.
import { equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { isOutcomeUnknown, KeyrailUnreachable, refusalOf, retryAfterMsOf } from './errors.ts';
import { nextCursorOf } from './pages.ts';
import { baseOf, prepareEndpoint } from './request.ts';
import { isRepeatable, isWorthRepeating, waitMsAfter } from './retry.ts';

const none = new Headers();
const refusal = (status: number) => refusalOf(status, none, null);
const unavailable = (outcome: string) =>
  refusalOf(503, none, { error: { code: 'unavailable', message: 'x', outcome } });
const inProgress = { error: { code: 'idempotency_in_progress', message: 'x' } };
const unreachable = (...args: ConstructorParameters<typeof KeyrailUnreachable>) =>
  new KeyrailUnreachable(...args);

test('some failures are always retried, some only if a retry is safe, and others never', () => {
  const table: [why: string, error: unknown, harmless: boolean, change: boolean][] = [
    ['429: refused before anything was done', refusal(429), true, true],
    ['503: a change may have been made', refusal(503), true, false],
    ['503: nothing was changed', unavailable('not_done'), true, true],
    ['503: the server does not know', unavailable('unknown'), true, false],
    ['409: the first request is still running', refusalOf(409, none, inProgress), true, true],
    ['422', refusal(422), false, false],
    ['500', refusal(500), true, false],
    ['502 from a proxy', refusal(502), true, false],
    ['400', refusal(400), false, false],
    ['401', refusal(401), false, false],
    ['404', refusal(404), false, false],
    ['409', refusal(409), false, false],
    ['no connection', unreachable('connect', ''), true, true],
    ['a broken connection', unreachable('network', ''), true, false],
    ['a timeout', unreachable('timeout', ''), true, false],
    ['a response that is not from a Keyrail server', unreachable('answer', ''), false, false],
    ['a bug in the client', new TypeError('x'), false, false],
  ];
  for (const [why, error, harmless, change] of table) {
    equal(isWorthRepeating(error, true), harmless, `${why}, safe to retry`);
    equal(isWorthRepeating(error, false), change, `${why}, a change`);
  }
});

test('a failed change may still have been made, unless it was never sent or was rejected', () => {
  const table: [why: string, error: unknown, isUnknown: boolean][] = [
    ['500', refusal(500), true],
    ['502 of a proxy', refusal(502), true],
    ['503: the server does not know', unavailable('unknown'), true],
    ['503: nothing was changed', unavailable('not_done'), false],
    ['409', refusal(409), false],
    ['429', refusal(429), false],
    ['a broken connection', unreachable('network', ''), true],
    ['a timeout', unreachable('timeout', ''), true],
    ['a response that is not from a Keyrail server', unreachable('answer', ''), true],
    ['no connection', unreachable('connect', ''), false],
    ['a bug in the client', new TypeError('x'), false],
  ];
  for (const [why, error, isUnknown] of table) equal(isOutcomeUnknown(error), isUnknown, why);
});

test('reads, revocations and requests with an idempotency key are safe to retry', () => {
  const settings = { base: baseOf('https://keys.test/below'), token: null, headers: {} };
  const params = { id: 'x' };
  const repeats = (endpoint: string) =>
    isRepeatable(prepareEndpoint(settings, endpoint, { params }), endpoint);
  equal(repeats('GET /v1/keys'), true);
  equal(repeats('POST /v1/keys'), true);
  equal(repeats('POST /v1/keys/{id}/revoke'), true);
  equal(repeats('POST /v1/keys/{id}/disable'), true);
  equal(repeats('POST /v1/keys/explain'), true);
  equal(repeats('POST /v1/tenants/{id}/embed_tokens/revoke'), true);
  equal(repeats('POST /v1/embed/keys/{id}/revoke'), true);
  equal(repeats('POST /v1/embed/keys'), false);
  equal(repeats('POST /v1/embed_tokens'), false);
  equal(repeats('POST /v1/auth/sessions'), false);
  equal(repeats('POST /v1/workspaces'), false);
  equal(repeats('DELETE /v1/projects/{id}'), false);
  equal(repeats('PATCH /v1/keys/{id}'), false);
});

test('the wait is random, grows with each failure, and is capped', () => {
  equal(waitMsAfter(0, null, 0), 0);
  ok(waitMsAfter(0, null, 0.999) < 200);
  ok(waitMsAfter(1, null, 0.999) > 200);
  ok(waitMsAfter(30, null, 0.999) <= 5000);
});

test('the client waits at least as long as the server asks', () => {
  ok(waitMsAfter(0, 3000, 0) >= 3000);
  ok(waitMsAfter(0, 3000, 0.5) > 3000);
});

test("retry-after is read as seconds, or as a date on the server's clock", () => {
  const read = (retryAfter: string, date?: string) =>
    retryAfterMsOf(new Headers({ 'retry-after': retryAfter, ...(date && { date }) }));
  equal(read('42'), 42_000);
  equal(read('0'), 0);
  equal(read('Fri, 31 Dec 1999 23:59:59 GMT', 'Fri, 31 Dec 1999 23:59:49 GMT'), 10_000);
  equal(read('Fri, 31 Dec 1999 23:59:39 GMT', 'Fri, 31 Dec 1999 23:59:49 GMT'), 0);
  equal(read('Fri, 31 Dec 1999 23:59:59 GMT'), null);
  equal(read('soon'), null);
  equal(read('-1'), null);
  equal(retryAfterMsOf(new Headers()), null);
});

test('only the next cursor is taken from a Link header', () => {
  const read = (link: string) => nextCursorOf(new Headers({ link }));
  equal(read('</v1/keys?limit=2&cursor=abc>; rel="next"'), 'abc');
  equal(read('<https://elsewhere.test/x?cursor=a%2Bb>; rel=next'), 'a+b');
  equal(read('</a?cursor=p>; rel="prev", </a?cursor=n>; title="x, y"; rel="last next"'), 'n');
  equal(read('</a?cursor=p>; rel="prev"'), null);
  equal(read('</a?cursor=p>; rel="nextish"'), null);
  equal(read('</a>; rel="next"'), null);
  equal(nextCursorOf(new Headers()), null);
});
