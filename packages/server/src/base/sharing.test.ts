// Which calls share a result, and how long a call in flight delays the next one.
import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as settled } from 'node:timers/promises';
import { heldBytes } from '../../../../tests/held-bytes.ts';
import { sharing } from './sharing.ts';

const HELD_MS_MAX = 5;

/** Records the calls in the order they were sent. The test resolves them and moves the time. */
function scene() {
  let nowMs = 0;
  const held: { act(): void; atMs: number }[] = [];
  const sent: PromiseWithResolvers<string>[] = [];
  const share = sharing<string>({ later: (act, ms) => held.push({ act, atMs: nowMs + ms }) });
  return {
    sent,
    pass: (ms: number) => {
      nowMs += ms;
      while (held[0] && held[0].atMs <= nowMs) held.shift()?.act();
    },
    ask: (name = 'a') =>
      share(name, () => {
        const question = Promise.withResolvers<string>();
        sent.push(question);
        return question.promise;
      }),
  };
}

test('concurrent calls of one name share a result, and other names have their own', async () => {
  const { ask, sent } = scene();
  const asked = [ask(), ask(), ask('b'), ask()];
  await settled();
  equal(sent.length, 2);
  sent[0]?.resolve('of a');
  sent[1]?.resolve('of b');
  deepEqual(await Promise.all(asked), ['of a', 'of a', 'of b', 'of a']);
});

test('no caller joins a call in flight: the next one waits for its end and is sent once', async () => {
  const { ask, sent, pass } = scene();
  const first = ask();
  await settled();
  const later = [ask(), ask()];
  await settled();
  equal(sent.length, 1);
  sent[0]?.resolve('old');
  equal(await first, 'old');
  later.push(ask());
  await settled();
  equal(sent.length, 2);
  pass(HELD_MS_MAX);
  await settled();
  equal(sent.length, 2, 'not sent again after HELD_MS_MAX');
  sent[1]?.resolve('new');
  deepEqual(await Promise.all(later), ['new', 'new', 'new']);
});

test('a call that hangs delays the next one by a few milliseconds only', async () => {
  const { ask, sent, pass } = scene();
  const stuck = ask();
  await settled();
  const next = ask();
  pass(HELD_MS_MAX - 1);
  await settled();
  equal(sent.length, 1);
  pass(1);
  equal(sent.length, 2);
  sent[1]?.resolve('new');
  equal(await next, 'new');
  const third = ask();
  await settled();
  equal(sent.length, 2, 'the call that hangs is still in flight');
  sent[0]?.resolve('old');
  equal(await stuck, 'old');
  await settled();
  equal(sent.length, 3);
  sent[2]?.resolve('newest');
  equal(await third, 'newest');
});

test('a failure reaches every caller of its call and no other', async () => {
  const { ask, sent } = scene();
  const asked = [ask(), ask()];
  await settled();
  sent[0]?.reject(new Error('away'));
  for (const refused of asked) await rejects(refused, /away/);
  const next = ask();
  await settled();
  equal(sent.length, 2, 'the next call does not wait for one that has ended');
  sent[1]?.resolve('back');
  equal(await next, 'back');
});

test('results are not kept', async () => {
  const share = sharing<number>();
  const before = heldBytes();
  for (let at = 0; at < 100; at += 1) await share(`${at}`.padEnd(500_000), async () => at);
  ok(heldBytes() - before < 10_000_000);
});
