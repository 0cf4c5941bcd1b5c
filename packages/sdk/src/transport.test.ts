// The message for an unreachable control plane: the error code, and nothing else.
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

const messageOf = async (fault: unknown): Promise<string> => {
  const outcome = await answerTo(fault);
  return outcome.kind === 'answer' ? '' : new Failed(outcome).message;
};

const failed = (cause: unknown) => new TypeError('fetch failed', { cause });

test('a refused port, an unknown host and an expired certificate have different messages', async () => {
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
