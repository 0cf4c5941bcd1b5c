// The secrets that an embedded deployment generates: created once, never partially written, and
// readable only by the owner.
import { deepEqual, equal, match, notEqual, rejects } from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { systemRandomBytes } from '../base/random.ts';
import { bootstrapTokenIn, keptSecret, masterKeyIn } from './generated-secrets.ts';

async function directory(t: TestContext): Promise<string> {
  const scratch = await mkdtemp(join(tmpdir(), 'keyrail-secrets-'));
  t.after(() => rm(scratch, { recursive: true }));
  return join(scratch, 'deeper', 'data');
}

const modeOf = async (path: string): Promise<string> =>
  ((await stat(path)).mode & 0o777).toString(8);

test('a generated secret and its directory are readable only by their owner', async (t) => {
  const at = await directory(t);
  const token = await bootstrapTokenIn(at, systemRandomBytes);
  const key = await masterKeyIn(at, systemRandomBytes);
  match(token.reveal(), /^[\w-]{43}$/);
  equal(Buffer.from(key.reveal(), 'base64').length, 32);
  notEqual(token.reveal(), key.reveal());
  equal(await modeOf(at), '700');
  deepEqual((await readdir(at)).toSorted(), ['bootstrap-token', 'master-key']);
  for (const name of await readdir(at)) equal(await modeOf(join(at, name)), '600');
  equal(await readFile(join(at, 'bootstrap-token'), 'utf8'), `${token.reveal()}\n`);
});

test('an existing secret is kept, even if it was written by the operator', async (t) => {
  const at = await directory(t);
  const first = await masterKeyIn(at, systemRandomBytes);
  equal((await masterKeyIn(at, systemRandomBytes)).reveal(), first.reveal());
  const typed = Buffer.alloc(32, 7).toString('base64');
  await writeFile(join(at, 'master-key'), ` ${typed} \n`);
  equal((await masterKeyIn(at, systemRandomBytes)).reveal(), typed);
});

test('a secret in a file is validated like the setting, and never printed', async (t) => {
  const at = await directory(t);
  const key = (await masterKeyIn(at, systemRandomBytes)).reveal();
  const token = (await bootstrapTokenIn(at, systemRandomBytes)).reveal();
  await writeFile(join(at, 'master-key'), key.slice(0, -2));
  await writeFile(join(at, 'bootstrap-token'), token.slice(0, 31));
  const outcomes = await Promise.allSettled([
    masterKeyIn(at, systemRandomBytes),
    bootstrapTokenIn(at, systemRandomBytes),
  ]);
  const reasons = outcomes.map((outcome) =>
    outcome.status === 'rejected' ? String(outcome.reason) : 'accepted',
  );
  match(reasons[0] ?? '', /master-key must be 32 bytes in base64/);
  match(reasons[1] ?? '', /bootstrap-token must have at least 32 characters/);
  equal(
    reasons.some((reason) => reason.includes(key.slice(0, 9))),
    false,
  );
  equal(
    reasons.some((reason) => reason.includes(token.slice(0, 9))),
    false,
  );
});

test('processes that start at the same time get the same secret', async (t) => {
  const at = await directory(t);
  for (let round = 0; round < 20; round += 1) {
    const made = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        keptSecret(at, `secret-${round}`, () => `${n}`.repeat(5000)),
      ),
    );
    const texts = new Set(made.map((secret) => secret.reveal()));
    equal(texts.size, 1, 'the secrets differ');
    equal([...texts][0]?.length, 5000, 'the secret is truncated');
  }
  equal((await readdir(at)).length, 20, 'a temporary file was left behind');
});

test('an empty secret file is rejected', async (t) => {
  const at = await directory(t);
  await masterKeyIn(at, systemRandomBytes);
  await writeFile(join(at, 'master-key'), '\n');
  await rejects(masterKeyIn(at, systemRandomBytes), /master-key is empty/);
});

test('if the data directory cannot be created, the error contains the file system’s error code', async (t) => {
  const at = await directory(t);
  await masterKeyIn(at, systemRandomBytes);
  const below = join(at, 'master-key', 'data');
  await rejects(masterKeyIn(below, systemRandomBytes), { code: 'ENOTDIR' });
});
