// Identical concurrent reads share a statement. A read never joins a statement that has been sent,
// or one with a different scope.
import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { type Deadline, deadlineAfter, steppedDeadline } from '../base/deadline.ts';
import type { Answer, Database, DoorRole, Opening, Scope } from './database.ts';
import { withSharedReads } from './shared-reads.ts';

const MINE: Scope = { workspaceId: 'mine', envs: ['live', 'test'] };
const PATIENCE_MS = 3000;

function store() {
  const sent: PromiseWithResolvers<Answer>[] = [];
  const patience: Deadline[] = [];
  const db = withSharedReads({
    once: ({ deadline }: Opening) => {
      const answer = Promise.withResolvers<Answer>();
      sent.push(answer);
      patience.push(deadline);
      return answer.promise;
    },
  } as unknown as Database);
  const ask = (values: unknown[] = [], scope = MINE, role: DoorRole = 'kr_read') =>
    db.once({ role, scope, deadline: deadlineAfter(PATIENCE_MS) }, { text: 'select $1', values });
  const askWithin = (deadline: Deadline) =>
    db.once({ role: 'kr_read', scope: MINE, deadline }, { text: 'select $1', values: [] });
  const answer = (at: number) => sent[at]?.resolve({ rows: [{ at }], count: 1 });
  const placeOf = (asked: Promise<Answer>) => asked.then(({ rows }) => rows[0]?.at);
  return { sent, patience, ask, askWithin, answer, placeOf };
}

test('reads that arrive while a statement is in flight share the next one', async () => {
  const { sent, ask, answer, placeOf } = store();
  const first = [ask(), ask()];
  equal(sent.length, 0);
  await nextTurn();
  const later = [ask(), ask(), ask()];
  equal(sent.length, 1);
  answer(0);
  deepEqual(await Promise.all(first.map(placeOf)), [0, 0]);
  await nextTurn();
  equal(sent.length, 2, 'a read does not join a statement that was already sent');
  answer(1);
  deepEqual(await Promise.all(later.map(placeOf)), [1, 1, 1]);
});

test('results are not cached', async () => {
  const { sent, ask, answer, placeOf } = store();
  const first = ask();
  await nextTurn();
  answer(0);
  await first;
  const second = ask();
  await nextTurn();
  equal(sent.length, 2, 'a read does not wait when no statement is in flight');
  answer(1);
  equal(await placeOf(second), 1);
});

test('reads with different scopes or values do not share a statement', async () => {
  const { sent, ask } = store();
  const scopes: Scope[] = [
    MINE,
    { ...MINE, workspaceId: 'theirs' },
    { ...MINE, workspaceId: null },
    { ...MINE, envs: ['test'] },
    { ...MINE, tenantId: 'one' },
    { ...MINE, projectIds: ['one'] },
    { ...MINE, projectIds: ['one', 'two'] },
    { ...MINE, userId: 'one' },
  ];
  for (const scope of scopes) void ask([], scope);
  for (const value of [1, '1', null, true, ['1'], '1","2']) void ask([value]);
  void ask(['1', '2']);
  await nextTurn();
  equal(sent.length, scopes.length + 7);
});

test('only reads with the read role share statements', async () => {
  const { sent, ask } = store();
  const roles: DoorRole[] = ['kr_write', 'kr_record', 'kr_gate', 'kr_worker'];
  for (const role of [...roles, ...roles]) void ask([], MINE, role);
  await nextTurn();
  equal(sent.length, 2 * roles.length);
});

test('a hanging statement delays the next one only briefly', async () => {
  const { sent, ask, answer, placeOf } = store();
  void ask();
  await nextTurn();
  const later = ask();
  while (sent.length < 2) await sleep(1);
  answer(1);
  equal(await placeOf(later), 1);
  const latest = ask();
  while (sent.length < 3) await sleep(1);
  answer(2);
  equal(await placeOf(latest), 2);
});

test('a failed statement fails only the reads that share it', async () => {
  const { sent, ask, answer, placeOf } = store();
  const first = ask();
  await nextTurn();
  const later = [ask(), ask()];
  sent[0]?.reject(new Error('lost'));
  await rejects(first, /lost/);
  await nextTurn();
  const latest = ask();
  sent[1]?.reject(new Error('lost again'));
  for (const each of later) await rejects(each, /lost again/);
  await nextTurn();
  answer(2);
  equal(await placeOf(latest), 2);
});

test('reads share a statement only if their deadlines are close together', async () => {
  const { sent, patience, askWithin, answer, placeOf } = store();
  const asked = [PATIENCE_MS, 900, PATIENCE_MS].map((ms) => askWithin(deadlineAfter(ms)));
  await nextTurn();
  equal(sent.length, 2);
  deepEqual(
    patience.map((deadline) => deadline.remainingMs() > 1_000),
    [true, false],
  );
  answer(0);
  answer(1);
  deepEqual(await Promise.all(asked.map(placeOf)), [0, 1, 0]);
});

test('a read whose deadline is extended in steps does not extend a shared statement’s deadline', async () => {
  const { patience, askWithin } = store();
  void askWithin(deadlineAfter(PATIENCE_MS));
  void askWithin(steppedDeadline(PATIENCE_MS, 10 * PATIENCE_MS));
  await nextTurn();
  equal(patience.length, 1);
  await sleep(20);
  ok(patience.every((deadline) => deadline.remainingMs() < PATIENCE_MS));
});

test('reads that differ only in a value JSON cannot represent do not share a statement', async () => {
  const { sent, ask } = store();
  const values = [null, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 1n, 2n];
  for (const value of [...values, ...values.map((one) => [one])]) void ask([value]);
  await nextTurn();
  equal(sent.length, 2 * values.length);
});
