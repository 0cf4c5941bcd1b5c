// FIFOs, links and other things in place of the cache's files or directory. None of them blocks the
// process, and only a regular file in a directory of the same user is trusted.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmod,
  chown,
  lstat,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { until } from '@keyrail/testing/until.ts';
import {
  change,
  ground,
  newestFile,
  policyWith,
  removal,
  SAVED_AT,
  timesAt,
  written,
} from '../../../test/cache.ts';
import { NodeProcess, servePlane } from '../../../test/node-process.ts';
import { Plane } from '../../../test/plane.ts';

const NOBODY_UID = 65_534;
const isRoot = process.getuid?.() === 0;

const putFifo = (path: string) => execFileSync('mkfifo', ['-m', '600', path]);

test('a FIFO in place of the cache neither delays the start nor keeps the process alive', async (t) => {
  const { dir } = await ground(t);
  const plane = new Plane();
  const key = plane.issue();
  const served = await servePlane(plane);
  t.after(() => served.close());
  const first = new NodeProcess(served.url, { cacheDir: dir });
  t.after(() => first.kill());
  equal(await first.ask('ready'), true);
  equal(await first.ask('close'), true);
  const path = await newestFile(dir, '.policy');
  await rm(path);
  putFifo(path);

  const second = new NodeProcess(served.url, { cacheDir: dir });
  t.after(() => second.kill());
  equal(await second.ask('ready'), true);
  equal(await second.ask(`verify ${key}`), true);
  const exit = once(second.child, 'exit');
  equal(await second.ask('close'), true);
  deepEqual(await exit, [0, null]);
  ok(
    (await lstat(await newestFile(dir, '.policy'))).isFile(),
    'the FIFO is replaced by a cache file',
  );
});

test('a FIFO created after the start does not block the event loop', async (t) => {
  const { dir } = await ground(t);
  const plane = new Plane();
  const served = await servePlane(plane);
  t.after(() => served.close());
  const node = new NodeProcess(served.url, { cacheDir: dir });
  t.after(() => node.kill());
  const key = plane.issue();
  const other = plane.issue();
  equal(await node.ask('ready'), true);
  await until(async () => (await readdir(dir)).some((name) => name.endsWith('.policy')));
  const path = await newestFile(dir, '.policy');
  await rm(path);
  putFifo(path);
  for (const one of [key, other]) {
    plane.revoke(one);
    await until(() => served.acknowledged() === plane.version);
    equal(await node.ask(`verify ${one}`), false);
  }
  equal(await node.ask('close'), true);
});

test('non-regular files are rejected and replaced', async (t) => {
  const { above, dir, open, cache } = await written(t, 10, 1);
  await cache.close();
  const path = await newestFile(dir, '.policy');
  const aside = join(above, 'aside');
  await rename(path, aside);
  await symlink(aside, path);
  equal(await open().load(), null, 'a link to a valid file is rejected');
  await rm(path, { force: true });
  putFifo(path);
  equal(await open().load(), null);
  const next = open();
  next.keep(policyWith(10, 2), timesAt(SAVED_AT));
  await next.close();
  equal((await open().load())?.policy.version, 2);
});

/**
 * Returns the policy files in a directory, without the journals, because a journal alone is not a
 * policy.
 */
const policies = async (dir: string) =>
  (await readdir(dir)).filter((name) => name.endsWith('.policy'));

test('a cache directory that is a link, or accessible to other users, is neither read from nor written to', async (t) => {
  const { above, dir, logged, open, cache } = await written(t, 10, 1);
  await cache.close();
  const files = await readdir(dir);
  for (const mode of [0o755, 0o770, 0o701]) {
    await chmod(dir, mode);
    equal(await open().load(), null, mode.toString(8));
    ok(logged.at(-1)?.includes('0700'), logged.at(-1));
  }
  await chmod(dir, 0o700);
  const link = join(above, 'link');
  await symlink(dir, link);
  equal(await open(link).load(), null);
  equal((await open().load())?.policy.version, 1);
  deepEqual(await readdir(dir), files);

  // No old copy of the policy may be left, because the directory's mode may be corrected later.
  await chmod(dir, 0o755);
  const fresh = open();
  equal(await fresh.load(), null);
  fresh.keep(policyWith(3, 2), timesAt(SAVED_AT));
  equal(await fresh.secure(), true);
  ok(fresh.failure()?.includes('0700'), `${fresh.failure()}`);
  deepEqual(await policies(dir), []);
  await fresh.close();
});

test("another user's directory or file is rejected", { skip: !isRoot }, async (t) => {
  const { dir, open, cache } = await written(t, 10, 1);
  await cache.close();
  await chown(dir, NOBODY_UID, NOBODY_UID);
  equal(await open().load(), null);
  await chown(dir, 0, 0);
  await chown(await newestFile(dir, '.policy'), NOBODY_UID, NOBODY_UID);
  equal(await open().load(), null);
});

test('a cache file with a huge, forged version number does not block later writes', async (t) => {
  const { dir, open, cache, policy } = await written(t, 10, 1);
  for (const end of ['.policy', '.news']) {
    const path = await newestFile(dir, '.policy');
    const bytes = await readFile(path);
    bytes.writeBigUInt64BE(2n ** 50n, 'keyrail-policy-5'.length + 32);
    const forged = path.replace(/\.\d+\.policy$/, `.${2 ** 50}${end}`);
    await writeFile(forged, bytes);
    change(cache, policy, [removal(policy.version)]);
    equal(await cache.secure(), true);
    equal((await open().load())?.policy.version, policy.version, forged);
  }
});

test('if the journal cannot cover a new version, the old policy file is removed before that version is acknowledged', async (t) => {
  const { dir, clock, open, cache, versionOf } = await written(t, 10, 1);
  // A snapshot with too many keys to be written immediately.
  const many = policyWith(12_000, 9);
  cache.keep(many, timesAt(SAVED_AT));
  equal(await cache.secure(), true);
  deepEqual(await policies(dir), []);
  equal(await open().load(), null, 'no policy is better than an old one');
  await clock.pass(10_000);
  await until(async () => (await versionOf('policy')) === 9);
});
