// A commit waits for the disk if it has something to write, and the longer the more there is. So
// what a request writes must not depend on whether its address has an account: measured in the
// write-ahead log of the database. Others may write to the log at the same time, and a page that
// is touched first after a checkpoint is logged whole; both only add, so the least of many
// repetitions is what the request itself writes.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type Bench, bench, type Caller } from '../../../../../tests/bench.ts';
import { appBeside } from '../../../../../tests/beside.ts';
import { queuedFor } from '../../../../../tests/outbox.ts';
import {
  callersOf,
  logIn,
  mailTo,
  PASSWORD,
  signUp,
  someone,
} from '../../../../../tests/people.ts';
import type { AppParts } from '../../app.ts';
import { deadlineAfter } from '../../base/deadline.ts';

const create = 'POST /v1/auth/users';
const reset = 'POST /v1/auth/password_resets';
const resend = 'POST /v1/auth/email_verifications';

const [ROUNDS_MIN, ROUNDS_MAX] = [6, 60];
/** Less than any of the three would write on its own: an empty commit writes nothing at all. */
const BYTES_LEAST = 200;
/** Entries of an index are rounded up to eight bytes, and not all pages are equally full. */
const BYTES_APART_MAX = 32;

let addresses = 0;

/** Of the same length, every one of them. */
function newAddress(): string {
  addresses += 1;
  return `same-${process.pid}-${String(addresses).padStart(6, '0')}@example.com`;
}

async function logEnd({ world: { db } }: Bench): Promise<bigint> {
  const { rows } = await db.once(
    {
      role: 'kr_gate',
      scope: { workspaceId: null, envs: ['live', 'test'] },
      deadline: deadlineAfter(3000),
    },
    { text: 'select pg_current_wal_insert_lsn()::text as at', values: [] },
  );
  const [high = '', low = ''] = String(rows[0]?.at).split('/');
  return (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`);
}

type Branches = Record<string, () => Promise<unknown>>;

/** Adds a round, in which the branches take turns, to the least that each has written so far. */
async function measure(held: Bench, branches: Branches, least: Map<string, number>): Promise<void> {
  for (const [name, branch] of Object.entries(branches)) {
    const before = await logEnd(held);
    await branch();
    const bytes = Number((await logEnd(held)) - before);
    least.set(name, Math.min(bytes, least.get(name) ?? bytes));
  }
}

/** On a busy cluster it takes more rounds until each branch has had the log to itself once. */
async function expectSame(held: Bench, branches: Branches): Promise<void> {
  const least = new Map<string, number>();
  const bounds = () => [Math.min(...least.values()), Math.max(...least.values())] as const;
  const isSame = ([min, max]: readonly [number, number]) => max - min <= BYTES_APART_MAX;
  for (let round = 1; round <= ROUNDS_MAX; round += 1) {
    await measure(held, branches, least);
    if (round >= ROUNDS_MIN && isSame(bounds())) break;
  }
  const told = JSON.stringify(Object.fromEntries(least));
  ok(bounds()[0] >= BYTES_LEAST, told);
  ok(isSame(bounds()), told);
}

/** Hashes nothing: here it is the writing that counts. */
function quickly(t: TestContext, held: Bench, changes: Partial<AppParts> = {}): Caller {
  const hash = '$argon2id$'.padEnd(96, 'x');
  const hasher = { ...held.world.hasher, hash: async () => hash };
  return appBeside(t, held.world, { ...changes, hasher }).as(null);
}

const unverified = async (held: Bench) => {
  const email = await signUp(callersOf(held), newAddress());
  await mailTo(held.world, email);
  return email;
};

async function verified(held: Bench): Promise<string> {
  const email = await unverified(held);
  const [mail] = await mailTo(held.world, email);
  const token = /#token=(\S+)/.exec(mail?.text ?? '')?.[1];
  await held.as.nobody('POST /v1/auth/email_verifications/consume', { token });
  return email;
}

test('a sign-up writes the same, whatever comes of it', async (t) => {
  const held = await bench(t);
  const [known, proven] = [await unverified(held), await verified(held)];
  const signups = [
    { signupPolicy: 'open', more: { name: 'Ada Lovelace' } },
    { signupPolicy: 'invited', more: {} },
    { signupPolicy: 'off', more: {} },
  ] as const;
  for (const { signupPolicy, more } of signups) {
    const call = quickly(t, held, { signupPolicy });
    const asking = (address: () => string) => () =>
      call(create, { email: address(), password: PASSWORD, ...more });
    await expectSame(held, {
      nobody: asking(newAddress),
      unverified: asking(() => known),
      verified: asking(() => proven),
    });
  }
});

test('asking for a reset writes the same, whether or not there is an account', async (t) => {
  const held = await bench(t);
  const [known, proven] = [await unverified(held), await verified(held)];
  const asking = (address: () => string) => () => held.as.nobody(reset, { email: address() });
  await expectSame(held, {
    nobody: asking(newAddress),
    unverified: asking(() => known),
    verified: asking(() => proven),
  });
});

test('asking for a verification writes the same, verified or not', async (t) => {
  const held = await bench(t);
  const asPerson = async (email: string) => {
    const { call } = await logIn(callersOf(held), email);
    return () => call(resend);
  };
  await expectSame(held, {
    unverified: await asPerson(await unverified(held)),
    verified: await asPerson(await verified(held)),
  });
});

test('a request that asks for nothing is dropped: no mail, no file, no row', async (t) => {
  const held = await bench(t);
  const unknown = newAddress();
  await held.as.nobody(reset, { email: unknown });
  const person = await someone(held);
  const before = (await mailTo(held.world, person.email)).length;
  await person.call(resend);
  await held.as.nobody(reset, { email: unknown });
  equal((await queuedFor(held.world, unknown)).length, 1, 'the first was dropped by now');
  deepEqual(await mailTo(held.world, unknown), []);
  deepEqual(await queuedFor(held.world, unknown), []);
  equal((await mailTo(held.world, person.email)).length, before);
});
