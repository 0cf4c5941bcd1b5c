// All audited changes go through the write door, which commits an operation together with its audit
// entries, or not at all.
import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type Harness, harness } from '@keyrail/testing/harness.ts';
import { seededBytes } from '@keyrail/testing/test-app.ts';
import { deadlineAfter } from '../base/deadline.ts';
import { ApiError } from '../base/errors.ts';
import { createIdMaker } from '../base/ids.ts';
import { systemRandomBytes } from '../base/random.ts';
import { createSealing } from '../base/sealing.ts';
import type { Database } from '../db/database.ts';
import { sqlState } from '../db/faults.ts';
import { newSecretKey } from '../features/secret-keys/new-secret-key.ts';
import { quarantineSecretKey } from '../features/secret-keys/quarantine-secret-key.ts';
import { revokeSecretKey } from '../features/secret-keys/revoke-secret-key.ts';
import { rotateSecretKey } from '../features/secret-keys/rotate-secret-key.ts';
import { insertSecretKey } from '../features/secret-keys/rows.ts';
import type { Entry } from './actions.ts';
import { changed, type PolicyVersion, unchanged, type Write } from './door.ts';
import { allEnvs } from './reach.ts';
import { openWrite } from './write.ts';

type Opened = Harness & {
  write: ReturnType<typeof openWrite>;
  /** Opens the write door of the same workspace on a different database. */
  writeOn(db: Database): ReturnType<typeof openWrite>;
  announced: (readonly PolicyVersion[])[];
  forgotten: (readonly string[])[];
  /** Called each time `forgetKeys` is called, before it returns. */
  onForget: { act(): void };
};

/** Creates a workspace and opens its write door in the same way as the request pipeline does. */
async function opened(t: TestContext, waitMs = 5000): Promise<Opened> {
  const app = await harness(t);
  const announced: (readonly PolicyVersion[])[] = [];
  const forgotten: (readonly string[])[] = [];
  const onForget = { act: () => {} };
  const parts = {
    db: app.testApp.db,
    newId: createIdMaker(app.clock, systemRandomBytes),
    randomBytes: systemRandomBytes,
    seal: createSealing(Buffer.alloc(32), seededBytes('seal')).seal,
    announce: (versions: readonly PolicyVersion[]) => void announced.push(versions),
    forgetKeys: (ids: readonly string[]) => {
      forgotten.push(ids);
      onForget.act();
      return null;
    },
  };
  const reach = {
    workspaceId: app.workspaceId,
    envs: allEnvs,
    actor: { type: 'system' as const, id: null },
    authority: 'owner' as const,
  };
  return {
    ...app,
    write: openWrite(parts, reach, { deadline: deadlineAfter(waitMs) }),
    writeOn: (db) => openWrite({ ...parts, db }, reach, { deadline: deadlineAfter(waitMs) }),
    announced,
    forgotten,
    onForget,
  };
}

const wanted = {
  env: 'test',
  name: 'made',
  meta: {},
  expiresAt: null,
  authority: 'owner',
  permissions: null,
  projectIds: null,
  networks: null,
} as const;

const insertKey = (tx: Write) => insertSecretKey(tx, newSecretKey(tx, wanted).values);

const entryOf = (target: string): Entry => ({
  action: 'secret_key.created',
  target,
  payload: { env: 'test', display_prefix: 'x' },
});

const stateOf = async ({ as }: Harness) => ({
  keys: (await as.liveKey('GET /v1/secret_keys')).data.map(({ id }) => id),
  head: (await as.liveKey('GET /v1/audit_logs/chain')).head_hash,
});

test('an operation commits its changes and its audit entries together', async (t) => {
  const app = await opened(t);
  const { id, now } = await app.write(async (tx) => {
    const key = await insertKey(tx);
    return changed({ id: key.id, now: tx.now }, entryOf(key.id));
  });
  ok((await stateOf(app)).keys.includes(id));
  const row = (await app.as.liveKey('GET /v1/audit_logs')).data.at(-1);
  deepEqual([row?.action, row?.target_id, row?.actor_type], ['secret_key.created', id, 'system']);
  ok((row?.occurred_at ?? '') >= now.toISOString(), 'closed after it was opened');
  deepEqual(app.announced, [[]], 'no policy changed');
});

test('several audit entries are appended in order', async (t) => {
  const app = await opened(t);
  const targets = await app.write(async (tx) => {
    const keys = [await insertKey(tx), await insertKey(tx), await insertKey(tx)];
    const [first, ...rest] = keys.map(({ id }) => entryOf(id));
    ok(first);
    return changed(
      keys.map(({ id }) => id),
      [first, ...rest],
    );
  });
  const rows = (await app.as.liveKey('GET /v1/audit_logs')).data.slice(-3);
  deepEqual(
    rows.map(({ target_id }) => target_id),
    targets,
  );
});

test('an operation that returns unchanged is rolled back, including its writes', async (t) => {
  const app = await opened(t);
  const before = await stateOf(app);
  const result = await app.write(async (tx) => unchanged((await insertKey(tx)).id));
  equal(typeof result, 'string');
  deepEqual(await stateOf(app), before);
  deepEqual(app.announced, []);
});

const failures: Record<string, Error> = {
  'an API error': new ApiError('conflict'),
  'a bug': new TypeError('no such thing'),
};

for (const [what, error] of Object.entries(failures)) {
  test(`an operation that fails with ${what} is rolled back, and the error is rethrown`, async (t) => {
    const app = await opened(t);
    const before = await stateOf(app);
    const failing = app.write(async (tx) => {
      await insertKey(tx);
      throw error;
    });
    await rejects(failing, (thrown) => thrown === error);
    deepEqual(await stateOf(app), before);
  });
}

test('an operation with a failed statement is rolled back, and the next operation works', async (t) => {
  const app = await opened(t);
  const before = await stateOf(app);
  const failing = app.write(async (tx) => {
    const { values } = newSecretKey(tx, wanted);
    await insertSecretKey(tx, values);
    const twice = await insertSecretKey(tx, { ...values, id: tx.newId() });
    return changed(null, entryOf(twice.id));
  });
  await rejects(failing, (error) => sqlState(error) === '23505');
  deepEqual(await stateOf(app), before);
  await app.write(async (tx) => {
    const key = await insertKey(tx);
    return changed(null, entryOf(key.id));
  });
});

test('an operation that catches a failed statement still commits nothing', async (t) => {
  const app = await opened(t);
  const before = await stateOf(app);
  const failing = app.write(async (tx) => {
    const key = await insertKey(tx);
    await tx.run({ text: 'select 1 / 0', values: [] }).catch(() => null);
    return changed(null, entryOf(key.id));
  });
  await rejects(failing);
  deepEqual(await stateOf(app), before);
});

test('a change without audit entries cannot commit', async (t) => {
  const app = await opened(t);
  const before = await stateOf(app);
  const forgetful = app.write(async (tx) => {
    const key = await insertKey(tx);
    return { ...changed(null, entryOf(key.id)), entries: [] as never };
  });
  await rejects(forgetful, (error) => sqlState(error) !== undefined);
  deepEqual(await stateOf(app), before);
});

test('an operation cannot run COMMIT to bypass the audit log', async (t) => {
  const app = await opened(t);
  const before = await stateOf(app);
  const sly = app.write(async (tx) => {
    await insertKey(tx);
    await tx.run({ text: 'commit', values: [] });
    return unchanged(null);
  });
  await rejects(sly, (error) => /^KR/.test(sqlState(error) ?? ''));
  deepEqual(await stateOf(app), before);
});

test('a change that weakens a secret key waits until no process has the key cached', async (t) => {
  const app = await opened(t);
  const { id } = await app.as.liveKey('POST /v1/secret_keys', { env: 'test' });
  const found = { id, reason: 'found', foundAt: null };
  await app.write((tx) => quarantineSecretKey(tx, found));
  await app.write((tx) => quarantineSecretKey(tx, found));
  deepEqual(app.forgotten.splice(0), [[id], [id]]);
  await app.write((tx) => rotateSecretKey(tx, { id, overlapHours: 0 }));
  await app.write((tx) => revokeSecretKey(tx, { id, reason: null }));
  await app.write((tx) => revokeSecretKey(tx, { id, reason: null }));
  deepEqual(app.forgotten, [[id], [id], [id]], 'a repeated call waits too');
});

test('caches drop a secret key only after the commit that revokes it', async (t) => {
  const app = await opened(t);
  const { id } = await app.as.liveKey('POST /v1/secret_keys', { env: 'test' });
  let isCommitted = false;
  const { db } = app.testApp;
  const transaction: typeof db.transaction = (opening, body) =>
    db.transaction(opening, async (tx) => {
      const ending = await body(tx);
      if (ending.kind === 'rollback') return ending;
      const result = (answers: Parameters<typeof ending.result>[0]) => {
        isCommitted = true;
        return ending.result(answers);
      };
      return { ...ending, result };
    });
  const seen: boolean[] = [];
  app.onForget.act = () => void seen.push(isCommitted);
  await app.writeOn({ ...db, transaction })((tx) => revokeSecretKey(tx, { id, reason: null }));
  deepEqual(seen, [true]);
});

test("another workspace's rows cannot be written", async (t) => {
  const app = await opened(t);
  const theirs = await harness(t);
  const before = await stateOf(theirs);
  const foreign = app.write(async (tx) => {
    await tx.run({
      text: `update workspaces set name = 'taken' where id = $1`,
      values: [theirs.workspaceId],
    });
    return changed(null, entryOf(tx.newId()));
  });
  await foreign;
  equal((await theirs.as.liveKey('GET /v1/workspace')).name, 'Acme');
  deepEqual(await stateOf(theirs), before);
});

test('an operation is rejected before it begins if its deadline has passed', async (t) => {
  const { writeOn, testApp } = await opened(t, 0);
  await rejects(writeOn(testApp.strictDb)(async () => unchanged(null)));
});
