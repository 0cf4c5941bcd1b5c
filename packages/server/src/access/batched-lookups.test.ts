// Concurrent lookups share a statement, but a lookup never joins a statement that has already been
// sent.
import { deepEqual, equal, rejects } from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { batchedLookUps } from './batched-lookups.ts';

type Sent = PromiseWithResolvers<Map<string, string>> & { hashes: string[] };

function listener() {
  const sent: Sent[] = [];
  const find = batchedLookUps<string>((hashes) => {
    const answer = { ...Promise.withResolvers<Map<string, string>>(), hashes: [...hashes] };
    sent.push(answer);
    return answer.promise;
  });
  const answer = (at: number) =>
    sent[at]?.resolve(new Map(sent[at].hashes.map((hash) => [hash, `fact of ${hash}`])));
  return { sent, find, answer };
}

test('lookups in one event-loop turn share one statement, without duplicates', async () => {
  const { sent, find, answer } = listener();
  const found = Promise.all(['a', 'b', 'a'].map(find));
  equal(sent.length, 0);
  await nextTurn();
  deepEqual(
    sent.map(({ hashes }) => hashes),
    [['a', 'b']],
  );
  answer(0);
  deepEqual(await found, ['fact of a', 'fact of b', 'fact of a']);
});

test('the next batch grows while a statement runs, and is sent when the statement finishes', async () => {
  const { sent, find, answer } = listener();
  const first = find('a');
  await nextTurn();
  const others = [find('b')];
  await nextTurn();
  others.push(find('c'));
  equal(sent.length, 1, 'a lookup never joins a statement that has already been sent');
  answer(0);
  equal(await first, 'fact of a');
  await nextTurn();
  deepEqual(sent[1]?.hashes, ['b', 'c']);
  answer(1);
  deepEqual(await Promise.all(others), ['fact of b', 'fact of c']);
});

test('a hanging statement delays the next one only briefly', async () => {
  const { sent, find, answer } = listener();
  const stuck = find('a');
  await nextTurn();
  const other = find('b');
  while (sent.length < 2) await sleep(1);
  answer(1);
  equal(await other, 'fact of b');
  answer(0);
  await stuck;
});

test('a failed statement rejects only the lookups that share it', async () => {
  const { sent, find, answer } = listener();
  const first = find('a');
  await nextTurn();
  const second = find('b');
  await nextTurn();
  sent[0]?.reject(new Error('lost'));
  await rejects(first, /lost/);
  await nextTurn();
  answer(1);
  equal(await second, 'fact of b');
});

test('a statement contains at most 500 lookups', async () => {
  const { sent, find, answer } = listener();
  const found = Promise.all(Array.from({ length: 501 }, (_, at) => find(`${at}`)));
  equal(sent[0]?.hashes.length, 500);
  answer(0);
  while (sent.length < 2) await sleep(1);
  deepEqual(sent[1]?.hashes, ['500']);
  answer(1);
  equal((await found).length, 501);
});
