// The more a commit writes, the longer it waits for the disk. So the bytes that a request writes
// must not depend on whether its address has an account. They are measured in the write-ahead log.
// Other connections may write to the log at the same time, and the first change of a page after a
// checkpoint logs the whole page. Both only add, so the minimum of many rounds is the true size.
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

const ROUNDS_MIN = 6;
const ROUNDS_MAX = 60;
/** Each request writes more than this. A smaller figure means that it wrote nothing at all. */
const BYTES_LEAST = 200;
/** Index entries are rounded up to eight bytes, and not all pages are equally full. */
const BYTES_APART_MAX = 32;

let addresses = 0;

/** All addresses have the same length. */
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

/** Runs every branch once and lowers its minimum in `least`. */
async function measure(held: Bench, branches: Branches, least: Map<string, number>): Promise<void> {
  for (const [name, branch] of Object.entries(branches)) {
    const before = await logEnd(held);
    await branch();
    const bytes = Number((await logEnd(held)) - before);
    least.set(name, Math.min(bytes, least.get(name) ?? bytes));
  }
}

/** A busy cluster needs more rounds until each branch has once been the only writer of the log. */
async function expectSame(held: Bench, branches: Branches): Promise<void> {
  const least = new Map<string, number>();
  const bounds = () => [Math.min(...least.values()), Math.max(...least.values())] as const;
  const isSame = ([min, max]: readonly [number, number]) => max - min <= BYTES_APART_MAX;
  for (let round = 1; round <= ROUNDS_MAX; round += 1) {
    await measure(held, branches, least);
    if (round >= ROUNDS_MIN && isSame(bounds())) break;
  }
  const bytesByBranch = JSON.stringify(Object.fromEntries(least));
  ok(bounds()[0] >= BYTES_LEAST, bytesByBranch);
  ok(isSame(bounds()), bytesByBranch);
}

/** A caller of an app without password hashing, which does not affect what is written. */
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

test('a sign-up writes the same amount whether or not it makes an account', async (t) => {
  const held = await bench(t);
  const known = await unverified(held);
  const proven = await verified(held);
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

test('requesting a reset writes the same amount with and without an account', async (t) => {
  const held = await bench(t);
  const known = await unverified(held);
  const proven = await verified(held);
  const asking = (address: () => string) => () => held.as.nobody(reset, { email: address() });
  await expectSame(held, {
    nobody: asking(newAddress),
    unverified: asking(() => known),
    verified: asking(() => proven),
  });
});

test('requesting a verification writes the same amount, verified or not', async (t) => {
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

test('a mail request without an account to serve is dropped and leaves no row', async (t) => {
  const held = await bench(t);
  const unknown = newAddress();
  await held.as.nobody(reset, { email: unknown });
  const person = await someone(held);
  const before = (await mailTo(held.world, person.email)).length;
  await person.call(resend);
  await held.as.nobody(reset, { email: unknown });
  equal((await queuedFor(held.world, unknown)).length, 1, 'the first request was dropped');
  deepEqual(await mailTo(held.world, unknown), []);
  deepEqual(await queuedFor(held.world, unknown), []);
  equal((await mailTo(held.world, person.email)).length, before);
});
