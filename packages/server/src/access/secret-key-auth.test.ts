// Notifications of secret-key changes between processes: sending, receiving, and the loss of the
// LISTEN connection.
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../base/clock.ts';
import { openLog } from '../base/log.ts';
import type { Gate } from '../doors/gate.ts';
import { type HotKeyParts, openHotKeys } from './secret-key-auth.ts';

const log = openLog('silent', process.stderr);
const LIFE_MS = 3_600_000;

/** A process with recorded notifications, and a listener through which the test sends others. */
function scene() {
  const reads: string[] = [];
  const calledOut: [string, readonly string[]][] = [];
  const ears: Parameters<NonNullable<HotKeyParts['listen']>>[0][] = [];
  let closed = 0;
  const gate: Pick<Gate, 'callOut'> = {
    callOut: async (channel, messages) => {
      calledOut.push([channel, messages]);
      throw new Error('the database is away');
    },
  };
  const keys = openHotKeys({
    gate: gate as Gate, // only callOut is used
    log,
    clock: systemClock,
    lifeMs: LIFE_MS,
    read: async (token) => {
      reads.push(token);
      return { id: `id of ${token}`, principal: { kind: 'nobody' }, expiresInMs: null };
    },
    listen: (ear) => {
      ears.push(ear);
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
  return { keys, ask, ear: ears[0], calledOut, isClosed: () => closed === 1 };
}

test('a key that another process ended is evicted, and no other key', async () => {
  const { ask, ear } = scene();
  deepEqual(await ask('a', 'b', 'a', 'b'), ['a', 'b']);
  ear?.heard('id of a');
  deepEqual(await ask('a', 'b'), ['a']);
});

test('the loss of the LISTEN connection clears the cache', async () => {
  const { ask, ear } = scene();
  await ask('a', 'b');
  ear?.onFault(new Error('gone'));
  deepEqual(await ask('a', 'b'), ['a', 'b']);
});

test('all ended keys are evicted here, even if the notification fails', async () => {
  const { keys, ask, ear, calledOut } = scene();
  await ask('a', 'b', 'c');
  await keys.forget(['id of a', 'id of b']);
  deepEqual(calledOut, [[ear?.channel, ['id of a', 'id of b']]]);
  deepEqual(await ask('a', 'b', 'c'), ['a', 'b']);
  equal(keys.forget([]), null);
  equal(calledOut.length, 1);
});

test('closing stops the listener', async () => {
  const { keys, isClosed } = scene();
  await keys.close();
  equal(isClosed(), true);
});
