// How processes notify each other about changed secret keys: sending, receiving, and losing the
// LISTEN connection.
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../base/clock.ts';
import { openLog } from '../base/log.ts';
import type { Gate } from '../doors/gate.ts';
import { openSecretKeyAuth, type SecretKeyAuthParts } from './secret-key-auth.ts';

const log = openLog('silent', process.stderr);
const LIFE_MS = 3_600_000;

/**
 * A process whose notifications are recorded, and a listener to which the test sends notifications.
 */
function scene() {
  const reads: string[] = [];
  const notified: [string, readonly string[]][] = [];
  const listeners: Parameters<NonNullable<SecretKeyAuthParts['listen']>>[0][] = [];
  let closed = 0;
  const gate: Pick<Gate, 'notifyAll'> = {
    notifyAll: async (channel, messages) => {
      notified.push([channel, messages]);
      throw new Error('the database is down');
    },
  };
  const keys = openSecretKeyAuth({
    gate,
    log,
    clock: systemClock,
    lifeMs: LIFE_MS,
    read: async (token) => {
      reads.push(token);
      return { id: `id of ${token}`, principal: { kind: 'nobody' }, expiresInMs: null };
    },
    listen: (listener) => {
      listeners.push(listener);
      return {
        close: async () => {
          closed += 1;
        },
      };
    },
  });
  const ask = async (...tokens: string[]): Promise<string[]> => {
    reads.length = 0;
    for (const token of tokens) await keys.principalOf(token, 'hot');
    return [...reads];
  };
  return { keys, ask, listener: listeners[0], notified, isClosed: () => closed === 1 };
}

test('when another process revokes a key, only that key is evicted', async () => {
  const { ask, listener } = scene();
  deepEqual(await ask('a', 'b', 'a', 'b'), ['a', 'b']);
  listener?.heard('id of a');
  deepEqual(await ask('a', 'b'), ['a']);
});

test('losing the LISTEN connection clears the cache', async () => {
  const { ask, listener } = scene();
  await ask('a', 'b');
  listener?.onFault(new Error('gone'));
  deepEqual(await ask('a', 'b'), ['a', 'b']);
});

test('a process evicts every key it revokes, even if the notification fails', async () => {
  const { keys, ask, listener, notified } = scene();
  await ask('a', 'b', 'c');
  await keys.forget(['id of a', 'id of b']);
  deepEqual(notified, [[listener?.channel, ['id of a', 'id of b']]]);
  deepEqual(await ask('a', 'b', 'c'), ['a', 'b']);
  equal(keys.forget([]), null);
  equal(notified.length, 1);
});

test('closing stops the listener', async () => {
  const { keys, isClosed } = scene();
  await keys.close();
  equal(isClosed(), true);
});
