// Which idempotency key is used when a change is sent again.
import { equal, notEqual, rejects } from 'node:assert/strict';
import { test } from 'node:test';
import { KeyrailUnreachable } from '@keyrail/client';
import { createRepeats } from './repeats.ts';

const lost = new KeyrailUnreachable('timeout', 'No response in time.');
const notSent = new KeyrailUnreachable('connect', 'No connection.');

/**
 * Returns a function that sends an input and returns its idempotency key. Sending fails with the
 * given error, if any.
 */
function sender() {
  const keyed = createRepeats();
  return async (input: object, error: Error | null): Promise<string> => {
    let key = '';
    const sent = keyed(input, async (given) => {
      key = given;
      if (error) throw error;
    });
    await (error ? rejects(sent, error) : sent);
    return key;
  };
}

test('a change keeps its idempotency key until its outcome is known', async () => {
  const send = sender();
  const first = await send({ name: 'a' }, lost);
  equal(await send({ name: 'a' }, lost), first);
  equal(await send({ name: 'a' }, null), first);
  notEqual(
    await send({ name: 'a' }, null),
    first,
    'the first change was made, so this is a new one',
  );
});

test('a changed input gets a new idempotency key, and so does a retry of a change that definitely failed', async () => {
  const send = sender();
  const first = await send({ name: 'a' }, lost);
  notEqual(await send({ name: 'b' }, null), first);
  const second = await send({ name: 'a' }, notSent);
  notEqual(second, first);
  notEqual(await send({ name: 'a' }, null), second);
});
