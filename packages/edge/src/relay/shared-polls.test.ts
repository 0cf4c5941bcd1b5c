// Nodes with the same request share one request to the control plane, but each gets the right
// response.
import { deepEqual, equal, rejects } from 'node:assert/strict';
import { test } from 'node:test';
import { manualTime, settled } from '../../test/manual-time.ts';
import { createRecentAnswers } from './recent-answers.ts';
import { createSharedPolls, HELD_MAX, type SharedQuestion } from './shared-polls.ts';
import { type Answer, Unreachable } from './upstream.ts';

const WAIT_MS = 25_000;

const answerOf = (status: number, version: number | null): Answer => ({
  status,
  headers: [],
  body: Buffer.from(`policy ${version}`),
  sent: '',
  version,
});
const changed = (version: number) => answerOf(200, version);
const same = (version: number) => answerOf(304, version);

type Asked = PromiseWithResolvers<Answer> & { name: string; signal: AbortSignal };

function scene() {
  const clock = manualTime();
  const asked: Asked[] = [];
  const polls = createSharedPolls(createRecentAnswers(clock, 5_000), clock);
  const poll = (more: Partial<SharedQuestion> = {}) => {
    const name = more.name ?? 'since 1';
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const question = {
      name,
      waitMs: WAIT_MS,
      least: 1,
      isAdmitted: true,
      ask: (signal: AbortSignal) => {
        const answer = Promise.withResolvers<Answer>();
        asked.push({ ...answer, name, signal });
        return answer.promise;
      },
      ...more,
    };
    const leave = polls.wait(question, (outcome) => {
      if (outcome instanceof Unreachable) reject(outcome);
      else resolve(outcome);
    });
    return Object.assign(promise, { leave });
  };
  return { clock, asked, polls, poll };
}

test('a change reaches all waiting nodes through a single upstream request', async () => {
  const { clock, asked, polls, poll } = scene();
  const waiting = Array.from({ length: 1000 }, () => poll());
  await clock.pass(1_000);
  deepEqual([asked.length, polls.held()], [1, 1000]);
  const answer = changed(2);
  asked[0]?.resolve(answer);
  const answers = await Promise.all(waiting);
  equal(new Set(answers).size, 1);
  deepEqual([answers[0], polls.held()], [answer, 0]);
});

test('each node waits as long as it asked to, even if it joins a request already in flight', async () => {
  const { clock, asked, polls, poll } = scene();
  const early = poll();
  await clock.pass(10_000);
  const late = poll();
  await clock.pass(15_000);
  asked[0]?.resolve(same(1));
  equal((await early).status, 304);
  deepEqual([asked.length, polls.held()], [2, 1], 'the late node is still waiting');
  await clock.pass(9_999);
  equal(polls.held(), 1);
  await clock.pass(1);
  equal((await late).status, 304);
  equal(asked.length, 2);
  equal(asked[1]?.signal.aborted, true, 'no node is waiting any more');
});

test('a node that keeps waiting after a 304 still gets the next change', async () => {
  const { clock, asked, poll } = scene();
  void poll();
  await clock.pass(10_000);
  const late = poll();
  await clock.pass(15_000);
  asked[0]?.resolve(same(1));
  await clock.pass(1_000);
  asked[1]?.resolve(changed(2));
  equal((await late).version, 2);
});

test('an old 304 is not sent to a node that started waiting later, even if the control plane hangs', async () => {
  const { clock, asked, polls, poll } = scene();
  void poll();
  await clock.pass(WAIT_MS);
  const second = poll();
  asked[0]?.resolve(same(1));
  await clock.pass(5_000);
  const third = poll();
  third.catch(() => {});
  await clock.pass(20_000);
  equal((await second).status, 304);
  await clock.pass(5_000);
  equal(polls.held(), 1, 'the 304 is too old for the third node');
  asked[1]?.reject(new Unreachable('frozen'));
  await rejects(third, Unreachable);
});

test('if the control plane responds to polls without waiting, the relay does not poll it in a tight loop', async () => {
  const { clock, asked, poll } = scene();
  const waiting = [poll(), poll()];
  await clock.pass(10);
  asked[0]?.resolve(same(1));
  deepEqual(
    (await Promise.all(waiting)).map(({ status }) => status),
    [304, 304],
  );
  await clock.pass(1_000);
  equal(asked.length, 1);
});

test('a node never gets a cached policy older than the version it needs', async () => {
  const { clock, asked, poll } = scene();
  const first = poll();
  await clock.pass(10);
  asked[0]?.resolve(changed(2));
  await first;
  equal((await poll({ least: 2 })).version, 2);
  equal(asked.length, 1, 'from memory');
  const newer = poll({ least: 3 });
  await settled();
  equal(asked.length, 2);
  asked[1]?.resolve(changed(3));
  equal((await newer).version, 3);
});

test('a response that is too old for one node is still sent to the others, and a newer one is requested', async () => {
  const { clock, asked, poll } = scene();
  const old = poll({ least: 1 });
  const recent = poll({ least: 3 });
  await clock.pass(10);
  asked[0]?.resolve(changed(2));
  equal((await old).version, 2);
  await settled();
  asked[1]?.resolve(changed(3));
  equal((await recent).version, 3);
});

test('polling stops if the control plane keeps sending policies that are too old', async () => {
  const { asked, poll } = scene();
  const polled = poll({ least: 9, waitMs: 0 });
  polled.catch(() => {});
  for (const at of [0, 1, 2]) {
    await settled();
    asked[at]?.resolve(same(1));
  }
  await rejects(polled, Unreachable);
  equal(asked.length, 3);
});

test('a cached response is used only if the control plane has just accepted the secret key', async () => {
  const { clock, asked, poll } = scene();
  const first = poll();
  await clock.pass(10);
  asked[0]?.resolve(changed(2));
  await first;
  void poll({ isAdmitted: false, least: null });
  await settled();
  equal(asked.length, 2);
});

test('responses are cached for five seconds', async () => {
  const { clock, asked, poll } = scene();
  const first = poll();
  await clock.pass(10);
  asked[0]?.resolve(changed(2));
  await first;
  await clock.pass(5_000);
  void poll();
  await settled();
  equal(asked.length, 2);
});

test('a rejection reaches all nodes with the same request, and no others', async () => {
  const { clock, asked, polls, poll } = scene();
  const refused = [poll({ name: 'revoked' }), poll({ name: 'revoked', least: 5 })];
  void poll({ name: 'valid' });
  await clock.pass(10);
  asked.find(({ name }) => name === 'revoked')?.resolve(answerOf(401, null));
  deepEqual(
    (await Promise.all(refused)).map(({ status }) => status),
    [401, 401],
  );
  equal(polls.held(), 1);
});

test('a node that disconnects cancels the upstream request only if no other node is waiting', async () => {
  const { clock, asked, polls, poll } = scene();
  const one = poll();
  const other = poll();
  await clock.pass(10);
  one.leave();
  one.leave();
  deepEqual([polls.held(), asked[0]?.signal.aborted], [1, false]);
  other.leave();
  deepEqual([polls.held(), asked[0]?.signal.aborted], [0, true]);
  void poll();
  await settled();
  equal(asked.length, 2, 'a new node does not join an abandoned request');
});

test('a relay rejects waiting nodes when it stops', async () => {
  const { asked, clock, polls, poll } = scene();
  const waiting = [poll(), poll(), poll({ name: 'since 2' })];
  for (const each of waiting) each.catch(() => {});
  await clock.pass(10);
  polls.close();
  for (const each of waiting) await rejects(each, Unreachable);
  await rejects(poll(), Unreachable);
  deepEqual([polls.held(), asked.every(({ signal }) => signal.aborted)], [0, true]);
});

test('the number of waiting nodes is limited', async () => {
  const { polls, poll } = scene();
  for (let n = 0; n < HELD_MAX; n += 1) void poll();
  await rejects(poll(), Unreachable);
  equal(polls.held(), HELD_MAX);
});
