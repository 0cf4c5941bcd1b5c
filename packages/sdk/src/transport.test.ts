// What is told of a control plane that was not heard: enough to know what to mend, and no more.
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { Failed } from './policy/source.ts';
import { createTransport } from './transport.ts';

const asked = { method: 'GET', path: '/v1/policy/snapshot', timeoutMs: 5000 } as const;

const answerTo = (fault: unknown) =>
  createTransport({
    base: 'https://keys.example.com',
    secretKey: 'krsk_live_canary',
    userAgent: 'test',
    fetch: () => Promise.reject(fault),
  }).send(asked);

const toldOf = async (fault: unknown): Promise<string> => {
  const outcome = await answerTo(fault);
  return outcome.kind === 'answer' ? '' : new Failed(outcome).message;
};

const failed = (cause: unknown) => new TypeError('fetch failed', { cause });

test('a refused port, an unknown host and an expired certificate are told apart', async () => {
  for (const code of ['ECONNREFUSED', 'ENOTFOUND', 'CERT_HAS_EXPIRED']) {
    const fault = failed(Object.assign(new Error('krsk_live_canary'), { code }));
    equal(await toldOf(fault), `the control plane was not heard (connect: ${code})`);
  }
  const both = new AggregateError([Object.assign(new Error(), { code: 'ECONNREFUSED' })]);
  equal(await toldOf(failed(both)), 'the control plane was not heard (connect: ECONNREFUSED)');
});

test('what is no code is not repeated: it may hold anything', async () => {
  for (const code of ['krsk_live_canary', 'A B', '', 7, null]) {
    const fault = failed(Object.assign(new Error('krsk_live_canary'), { code }));
    equal(await toldOf(fault), 'the control plane was not heard (connect)');
  }
  deepEqual(await answerTo('nothing'), { kind: 'unreachable', hard: false, reason: 'connect' });
});
