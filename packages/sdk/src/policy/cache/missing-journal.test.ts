// A policy file whose journal was deleted is considered damaged, because the journal may have
// contained revocations.
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
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
import { nodeOn, startedOn } from '../../../test/plane.ts';
import { SignedPlane } from '../../../test/signed-plane.ts';

test('a cache without its journal provides no policy, so no revoked key is accepted', async (t) => {
  const { dir, open, cache, policy, newsLeadTo, logged } = await written(t, 20, 5);
  change(cache, policy, [removal(1)]);
  equal(await cache.secure(), true);
  await newsLeadTo(6);
  await rm(await newestFile(dir, '.news'));
  equal(await open().load(), null);
  match(logged.join(), /its journal is missing/);
  deepEqual(await readdir(dir), [], 'both files are removed');
});

test('a cache without its journal provides no policy, even if no key was ever revoked', async (t) => {
  const { dir, open } = await written(t, 20, 5);
  await rm(await newestFile(dir, '.news'));
  equal(await open().load(), null);
});

test('a policy file never exists without a journal, even if the cache files are deleted while a node is running', async (t) => {
  const { dir, cache, policy, clock, open } = await written(t, 20, 5);
  for (let round = 0; round < 5; round += 1) {
    for (const name of await readdir(dir)) await rm(join(dir, name));
    change(cache, policy, [removal(round)]);
    let seen: string[] = [];
    await until(async () => {
      await clock.pass(1_000);
      seen = await readdir(dir);
      const ends = seen.map((name) => name.slice(name.lastIndexOf('.')));
      ok(!ends.includes('.policy') || ends.includes('.news'), `${seen}`);
      return ends.includes('.policy');
    });
    await cache.secure();
    equal((await open().load())?.policy.version, policy.version);
  }
});

test('a starting node does not disturb another node that is writing its first files', async (t) => {
  for (let round = 0; round < 20; round += 1) {
    const { open, clock, logged } = await ground(t);
    const cache = open();
    await cache.load();
    cache.keep(policyWith(3, 5), timesAt(SAVED_AT));
    const writes = clock.pass(1_100);
    let kept: unknown = null;
    await until(async () => {
      kept = await open().load();
      return kept !== null;
    });
    await writes;
    ok(await open().load());
    deepEqual(logged, []);
  }
});

test('a cache of signed responses is rejected without its journal', async (t) => {
  const cacheDir = await mkdtemp(join(tmpdir(), 'kr-missing-'));
  t.after(() => rm(cacheDir, { recursive: true, force: true, maxRetries: 10 }));
  const plane = new SignedPlane();
  const key = plane.issue();
  const options = { cacheDir, feedKeys: plane.jwks, longPoll: false, pollMs: 1_000 };
  const { node, clock } = await startedOn(t, plane, options);
  const files = async () => (await readdir(cacheDir)).map((name) => name.replace(/^[^.]*/, ''));
  await until(() => clock.pass(500).then(async () => (await files()).includes('.2.policy')));
  plane.revoke(key);
  await until(() => clock.pass(500).then(async () => (await files()).includes('.3.news')));
  equal(node.state().version, 3);
  await rm(await newestFile(cacheDir, '.news'));
  const away = new SignedPlane(plane.clock);
  away.fault = () => new Response(null, { status: 503 });
  const second = nodeOn(away, options);
  t.after(() => second.node.close());
  await until(() => clock.pass(100).then(() => second.node.state().failure !== null));
  equal(second.node.state().version, null);
  match(second.logged.join(), /its journal is missing/);
});
