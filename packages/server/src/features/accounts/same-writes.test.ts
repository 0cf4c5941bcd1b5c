// The more a commit writes, the longer it waits for the disk. So the number of bytes a request
// writes must not depend on whether its address has an account. The tests measure these bytes in
// the write-ahead log. Other connections may write to the log at the same time, and the first
// change to a page after a checkpoint logs the whole page. Both only add bytes, so the minimum over
// many rounds is the true size.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type Caller, type Harness, harness } from '@keyrail/testing/harness.ts';
import { queuedFor } from '@keyrail/testing/outbox.ts';
import { callersOf, logIn, mailTo, PASSWORD, signUp, someone } from '@keyrail/testing/people.ts';
import { appBeside } from '@keyrail/testing/second-app.ts';
import type { AppParts } from '../../app.ts';
import { deadlineAfter } from '../../base/deadline.ts';

const create = 'POST /v1/auth/users';
const reset = 'POST /v1/auth/password_resets';
const resend = 'POST /v1/auth/email_verifications';

const ROUNDS_MIN = 6;
const ROUNDS_MAX = 600;
/**
 * Every measured request must write more bytes than this. Fewer would mean that it wrote no data at
 * all.
 */
const BYTES_LEAST = 200;
/**
 * How many bytes the requests in a test may differ by. Index entries are padded to eight bytes, and
 * some pages are fuller than others.
 */
const BYTES_APART_MAX = 32;

let addresses = 0;

/** Returns a new address. All addresses have the same length. */
function newAddress(): string {
  addresses += 1;
  return `same-${process.pid}-${String(addresses).padStart(6, '0')}@example.com`;
}

async function logEnd({ testApp: { db } }: Harness): Promise<bigint> {
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

/**
 * Runs each kind of request once, and updates `least`, the smallest number of bytes each kind has
 * written so far.
 */
async function measure(
  app: Harness,
  branches: Branches,
  least: Map<string, number>,
): Promise<void> {
  for (const [name, branch] of Object.entries(branches)) {
    const before = await logEnd(app);
    await branch();
    const bytes = Number((await logEnd(app)) - before);
    least.set(name, Math.min(bytes, least.get(name) ?? bytes));
  }
}

/**
 * Runs rounds until all kinds of request have written the same number of bytes. A busy cluster
 * needs more rounds, because each kind of request must have been the log's only writer at least
 * once.
 */
async function expectSame(app: Harness, branches: Branches): Promise<void> {
  const least = new Map<string, number>();
  const bounds = () => [Math.min(...least.values()), Math.max(...least.values())] as const;
  const isSame = ([min, max]: readonly [number, number]) => max - min <= BYTES_APART_MAX;
  for (let round = 1; round <= ROUNDS_MAX; round += 1) {
    await measure(app, branches, least);
    if (round >= ROUNDS_MIN && isSame(bounds())) break;
  }
  const bytesByBranch = JSON.stringify(Object.fromEntries(least));
  ok(bounds()[0] >= BYTES_LEAST, bytesByBranch);
  ok(isSame(bounds()), bytesByBranch);
}

/**
 * Calls an app that doesn't hash passwords. That makes the test faster and changes nothing about
 * the writes.
 */
function quickly(t: TestContext, app: Harness, changes: Partial<AppParts> = {}): Caller {
  const hash = '$argon2id$'.padEnd(96, 'x');
  const hasher = { ...app.testApp.hasher, hash: async () => hash };
  return appBeside(t, app.testApp, { ...changes, hasher }).as(null);
}

const unverified = async (app: Harness) => {
  const email = await signUp(callersOf(app), newAddress());
  await mailTo(app.testApp, email);
  return email;
};

async function verified(app: Harness): Promise<string> {
  const email = await unverified(app);
  const [mail] = await mailTo(app.testApp, email);
  const token = /#token=(\S+)/.exec(mail?.text ?? '')?.[1];
  await app.as.nobody('POST /v1/auth/email_verifications/consume', { token });
  return email;
}

test('a sign-up writes the same number of bytes whether or not it creates an account', async (t) => {
  const app = await harness(t);
  const known = await unverified(app);
  const proven = await verified(app);
  const signups = [
    { signupPolicy: 'open', more: { name: 'Ada Lovelace' } },
    { signupPolicy: 'invited', more: {} },
    { signupPolicy: 'off', more: {} },
  ] as const;
  for (const { signupPolicy, more } of signups) {
    const call = quickly(t, app, { signupPolicy });
    const asking = (address: () => string) => () =>
      call(create, { email: address(), password: PASSWORD, ...more });
    await expectSame(app, {
      nobody: asking(newAddress),
      unverified: asking(() => known),
      verified: asking(() => proven),
    });
  }
});

test('requesting a reset link writes the same number of bytes with and without an account', async (t) => {
  const app = await harness(t);
  const known = await unverified(app);
  const proven = await verified(app);
  const asking = (address: () => string) => () => app.as.nobody(reset, { email: address() });
  await expectSame(app, {
    nobody: asking(newAddress),
    unverified: asking(() => known),
    verified: asking(() => proven),
  });
});

test('requesting a verification link writes the same number of bytes for verified and unverified addresses', async (t) => {
  const app = await harness(t);
  const asPerson = async (email: string) => {
    const { call } = await logIn(callersOf(app), email);
    return () => call(resend);
  };
  await expectSame(app, {
    unverified: await asPerson(await unverified(app)),
    verified: await asPerson(await verified(app)),
  });
});

test('an email request without a matching account is dropped and leaves no row', async (t) => {
  const app = await harness(t);
  const unknown = newAddress();
  await app.as.nobody(reset, { email: unknown });
  const person = await someone(app);
  const before = (await mailTo(app.testApp, person.email)).length;
  await person.call(resend);
  await app.as.nobody(reset, { email: unknown });
  equal((await queuedFor(app.testApp, unknown)).length, 1, 'the first request was dropped');
  deepEqual(await mailTo(app.testApp, unknown), []);
  deepEqual(await queuedFor(app.testApp, unknown), []);
  equal((await mailTo(app.testApp, person.email)).length, before);
});
