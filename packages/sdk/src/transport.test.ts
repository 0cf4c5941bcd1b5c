// An unreachable control plane is reported with the error code and nothing else; requests carry the
// current trace span.
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { Failed } from './policy/failed.ts';
import { createTransport } from './transport.ts';

const asked = { method: 'GET', path: '/v1/policy/snapshot', timeoutMs: 5000 } as const;

const answerTo = (fault: unknown) =>
  createTransport({
    base: 'https://keys.example.com',
    secretKey: 'krsk_live_canary',
    userAgent: 'test',
    fetch: () => Promise.reject(fault),
  }).send(asked);

const messageOf = async (fault: unknown): Promise<string> => {
  const outcome = await answerTo(fault);
  return outcome.kind === 'answer' ? '' : new Failed(outcome).message;
};

const failed = (cause: unknown) => new TypeError('fetch failed', { cause });

test('a closed port, an unknown host and an expired certificate produce different messages', async () => {
  for (const code of ['ECONNREFUSED', 'ENOTFOUND', 'CERT_HAS_EXPIRED']) {
    const fault = failed(Object.assign(new Error('krsk_live_canary'), { code }));
    equal(await messageOf(fault), `the control plane is unreachable (connect: ${code})`);
  }
  const both = new AggregateError([Object.assign(new Error(), { code: 'ECONNREFUSED' })]);
  equal(await messageOf(failed(both)), 'the control plane is unreachable (connect: ECONNREFUSED)');
});

test('text that is not an error code is not logged, because it may contain anything', async () => {
  for (const code of ['krsk_live_canary', 'A B', '', 7, null]) {
    const fault = failed(Object.assign(new Error('krsk_live_canary'), { code }));
    equal(await messageOf(fault), 'the control plane is unreachable (connect)');
  }
  deepEqual(await answerTo('nothing'), { kind: 'unreachable', hard: false, reason: 'connect' });
});

const TRACEPARENT = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

test('each request carries the current span, and never fails because of tracing', async () => {
  const sent: (string | null)[] = [];
  const answers: (() => string | undefined)[] = [
    () => TRACEPARENT,
    () => undefined,
    () => 'krsk_live_canary\r\nx: y',
    () => {
      throw new Error('no context');
    },
    () => TRACEPARENT.replace('-01', '-00'),
  ];
  const { send } = createTransport({
    base: 'https://keys.example.com',
    secretKey: 'krsk_live_canary',
    userAgent: 'test',
    fetch: async (_, { headers }) => {
      sent.push(new Headers(headers).get('traceparent'));
      return new Response('{}');
    },
    traceparent: () => answers[sent.length]?.(),
  });

  for (const _ of answers) equal((await send(asked)).kind, 'answer');

  const unsampled = TRACEPARENT.replace('-01', '-00');
  deepEqual(sent, [TRACEPARENT, null, null, null, unsampled]);
});
