// Which callers share a batch, and how long a batch in flight delays the next one.
import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { heldBytes } from '@keyrail/testing/heap.ts';
import { chanceFrom } from '@keyrail/testing/seeded-scheduler.ts';
import { type BatchOptions, batched, HELD_MS_MAX, shared, sharedWithin } from './coalesce.ts';

type Sent = PromiseWithResolvers<readonly (string | Promise<string>)[]> & {
  items: readonly string[];
};

/**
 * Records the batches in the order they were sent. The test resolves the batches and advances the
 * clock.
 */
function open(options: BatchOptions = {}) {
  let nowMs = 0;
  const timers: { act(): void; atMs: number }[] = [];
  const sent: Sent[] = [];
  const batch = batched<string, string>({
    later: (act, ms) => timers.push({ act, atMs: nowMs + ms }),
    nowMs: () => nowMs,
    ...options,
  });
  return {
    sent,
    pass: (ms: number) => {
      nowMs += ms;
      while (timers[0] && timers[0].atMs <= nowMs) timers.shift()?.act();
    },
    ask: (item: string, group = 'g') =>
      batch(group, item, (items) => {
        const one = { ...Promise.withResolvers<readonly (string | Promise<string>)[]>(), items };
        sent.push(one);
        return one.promise;
      }),
    answer: (at: number) => sent[at]?.resolve(sent[at].items.map((item) => `result of ${item}`)),
  };
}

test('items added to the same group in one event-loop turn are sent as one batch', async () => {
  const { sent, ask, answer } = open();
  const asked = [ask('a'), ask('b'), ask('c', 'other')];
  equal(sent.length, 0);
  await nextTurn();
  deepEqual(
    sent.map(({ items }) => items),
    [['a', 'b'], ['c']],
  );
  answer(0);
  answer(1);
  deepEqual(await Promise.all(asked), ['result of a', 'result of b', 'result of c']);
});

test('no caller joins a batch in flight; the next batch waits for it and is sent once', async () => {
  const { sent, ask, answer, pass } = open({ inFlightMax: 1 });
  const first = ask('a');
  await nextTurn();
  const others = [ask('b')];
  await nextTurn();
  others.push(ask('c'));
  equal(sent.length, 1);
  answer(0);
  equal(await first, 'result of a');
  await nextTurn();
  deepEqual(sent[1]?.items, ['b', 'c']);
  pass(HELD_MS_MAX);
  await nextTurn();
  equal(sent.length, 2, 'not sent again after heldMsMax');
  answer(1);
  deepEqual(await Promise.all(others), ['result of b', 'result of c']);
});

test('a hanging batch delays the next one by only a few milliseconds', async () => {
  const { sent, ask, answer, pass } = open({ inFlightMax: 1 });
  const stuck = ask('a');
  await nextTurn();
  const next = ask('b');
  await nextTurn();
  pass(HELD_MS_MAX - 1);
  equal(sent.length, 1);
  pass(1);
  equal(sent.length, 2);
  answer(1);
  equal(await next, 'result of b');
  answer(0);
  equal(await stuck, 'result of a');
});

test('with heldMsMin, the next batch is held for the average duration of a batch', async () => {
  const { sent, ask, answer, pass } = open({ inFlightMax: 1, heldMsMin: 5, heldMsMax: 200 });
  const heldFor = async (ms: number) => {
    const asked = [ask('a')];
    await nextTurn();
    asked.push(ask('b'));
    await nextTurn();
    const count = sent.length;
    pass(ms - 1);
    equal(sent.length, count, `held for ${ms} ms`);
    pass(1);
    equal(sent.length, count + 1, `held for no more than ${ms} ms`);
    answer(count - 1);
    answer(count);
    await Promise.all(asked);
  };
  await heldFor(5);
  const slow = ask('slow');
  await nextTurn();
  pass(500);
  answer(sent.length - 1);
  await slow;
  // A fifth of 500 ms plus four fifths of the previous average, which was 0.8 ms.
  await heldFor(101);
  for (let at = 0; at < 10; at += 1) {
    const slower = ask('slower');
    await nextTurn();
    pass(2_000);
    answer(sent.length - 1);
    await slower;
  }
  await heldFor(200);
});

test("with an infinite heldMsMax, a group's batches run strictly one after another", async () => {
  const { sent, ask, answer, pass } = open({
    inFlightMax: 1,
    heldMsMax: Number.POSITIVE_INFINITY,
    max: 2,
  });
  const asked = [ask('a')];
  await nextTurn();
  asked.push(ask('b'), ask('c'), ask('d'));
  pass(60_000);
  await nextTurn();
  equal(sent.length, 1);
  answer(0);
  await nextTurn();
  await nextTurn();
  deepEqual(sent[1]?.items, ['b', 'c']);
  answer(1);
  await nextTurn();
  await nextTurn();
  deepEqual(sent[2]?.items, ['d']);
  answer(2);
  equal((await Promise.all(asked)).length, 4);
});

test('a full batch is sent immediately, and the remaining items follow in the next batch', async () => {
  const { sent, ask, answer } = open({ max: 2 });
  const asked = ['a', 'b', 'c'].map((item) => ask(item));
  deepEqual(sent[0]?.items, ['a', 'b']);
  await nextTurn();
  deepEqual(sent[1]?.items, ['c']);
  answer(0);
  answer(1);
  equal((await Promise.all(asked)).length, 3);
});

test('a failed batch rejects exactly the callers in that batch', async () => {
  const { sent, ask, answer } = open({ inFlightMax: 1 });
  const first = ask('a');
  await nextTurn();
  const second = ask('b');
  sent[0]?.reject(new Error('lost'));
  await rejects(first, /lost/);
  await nextTurn();
  await nextTurn();
  answer(1);
  equal(await second, 'result of b');
});

test('a rejected result fails only its own item, and a missing result is an error', async () => {
  const { sent, ask } = open();
  const [bad, good, none] = ['a', 'b', 'c'].map((item) => ask(item));
  await nextTurn();
  sent[0]?.resolve([Promise.reject(new Error('not a')), 'fine']);
  await rejects(bad ?? nextTurn(), /not a/);
  equal(await good, 'fine');
  await rejects(none ?? nextTurn(), /fewer results/);
});

test('a caller beyond waitingMax is rejected, and the others are served', async () => {
  const refuse = () => new Error('busy');
  const { ask, answer } = open({ inFlightMax: 1, waitingMax: 1, refuse });
  const first = ask('a');
  await nextTurn();
  const second = ask('b');
  await rejects(ask('c'), /busy/);
  answer(0);
  await first;
  await nextTurn();
  answer(1);
  equal(await second, 'result of b');
});

test('concurrent calls with the same name share a result, which is not cached', async () => {
  const share = shared<number>();
  let calls = 0;
  const ask = async () => {
    calls += 1;
    return calls;
  };
  deepEqual(await Promise.all([share('a', ask), share('a', ask), share('b', ask)]), [1, 1, 2]);
  const before = heldBytes();
  for (let at = 0; at < 100; at += 1) await share(`${at}`.padEnd(500_000), async () => at);
  ok(heldBytes() - before < 10_000_000);
});

test('no call gets a result that was read before the call, regardless of timing', async () => {
  for (let seed = 1; seed <= 200; seed += 1) {
    const chance = chanceFrom(seed);
    let version = 0;
    const share = shared<number>({ later: (act) => setImmediate(act) });
    const read = async () => {
      const seen = version;
      for (let turns = chance.below(4); turns > 0; turns -= 1) await nextTurn();
      return seen;
    };
    const caller = async () => {
      for (let call = 0; call < 10; call += 1) {
        const asked = version;
        const result = await share('v', read);
        ok(result >= asked, `seed ${seed}: asked at ${asked}, answered from ${result}`);
        version += chance.below(2);
        if (chance.below(3) === 0) await nextTurn();
      }
    };
    await Promise.all([caller(), caller(), caller(), caller()]);
  }
});

test('a running call can be joined only if it is recent enough and began after forget()', async () => {
  let nowMs = 0;
  const calls: PromiseWithResolvers<string>[] = [];
  const reads = sharedWithin<string>(() => nowMs);
  const ask = (withinMs: number, name = 'a') =>
    reads.run(name, withinMs, () => {
      const call = Promise.withResolvers<string>();
      calls.push(call);
      return call.promise;
    });
  const first = [ask(50), ask(50)];
  equal(calls.length, 1);
  nowMs = 50;
  const late = ask(50);
  const other = ask(50, 'b');
  equal(calls.length, 3);
  reads.forget();
  equal(reads.isRunning('a'), false);
  const after = ask(50);
  equal(calls.length, 4);
  for (const [at, call] of calls.entries()) call.resolve(`call ${at}`);
  const results = await Promise.all([...first, late, other, after]);
  deepEqual(results, ['call 0', 'call 0', 'call 1', 'call 2', 'call 3']);
  equal(reads.isRunning('a'), false);
});

test('a shared result is at most withinMs older than its call, regardless of timing', async () => {
  for (let seed = 1; seed <= 200; seed += 1) {
    const chance = chanceFrom(seed);
    let nowMs = 0;
    const reads = sharedWithin<number>(() => nowMs);
    const read = async () => {
      const beganAtMs = nowMs;
      for (let turns = chance.below(4); turns > 0; turns -= 1) await nextTurn();
      return beganAtMs;
    };
    const caller = async () => {
      for (let call = 0; call < 10; call += 1) {
        const askedAtMs = nowMs;
        const withinMs = chance.below(4);
        const beganAtMs = await reads.run('v', withinMs, read);
        const isInTime = beganAtMs >= askedAtMs || beganAtMs + withinMs > askedAtMs;
        ok(isInTime, `seed ${seed}: asked at ${askedAtMs}, read began at ${beganAtMs}`);
        nowMs += chance.below(3);
        if (chance.below(3) === 0) await nextTurn();
      }
    };
    await Promise.all([caller(), caller(), caller(), caller()]);
  }
});
