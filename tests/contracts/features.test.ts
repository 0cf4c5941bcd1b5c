// Fleets whose nodes support different features. Nodes are upgraded, downgraded and restarted,
// directly or behind a relay, with a cache, while keys start and stop requiring a feature.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { addressOf } from '@keyrail/testing/address.ts';
import { ALPHA, NEEDS_ALPHA, vendorWithFeature } from '@keyrail/testing/features.ts';
import { inRun } from '@keyrail/testing/full-run.ts';
import type { Harness } from '@keyrail/testing/harness.ts';
import { chanceFrom } from '@keyrail/testing/seeded-scheduler.ts';
import { until } from '@keyrail/testing/until.ts';
import type { Keyrail } from '../../packages/sdk/src/api/keyrail.ts';
import { createNode } from '../../packages/sdk/src/keyrail.ts';
import { relayed } from './relayed.ts';

const SEEDS = inRun({ usual: 3, full: 20 });
const STEPS = 12;
const releases = [[], [ALPHA], [ALPHA, 'beta']];
/** A URL where no server is listening. */
const NOWHERE = 'http://127.0.0.1:1';

type Key = { id: string; key: string; needsAlpha: boolean };

type Fleet = Harness & {
  projectId: string;
  keys: Key[];
  start(from: { url: string; cacheDir: string; understands: readonly string[] }): Keyrail;
  urls: { direct: string; relay: string };
  newCache(): Promise<string>;
  change(key: Key): Promise<void>;
};

async function fleetOf(t: TestContext): Promise<Fleet> {
  const vendor = await vendorWithFeature(t);
  const url = await addressOf(vendor.testApp);
  const first = await vendor.given.key();
  const { project_id: projectId } = first;
  const second = await vendor.given.key({ project_id: projectId, scopes: [NEEDS_ALPHA] });
  const keys = [first, second].map(({ id, key, scopes }) => ({
    id,
    key,
    needsAlpha: scopes.includes(NEEDS_ALPHA),
  }));
  return {
    ...vendor,
    projectId,
    keys,
    urls: { direct: url, relay: await relayed(t, url, projectId) },
    newCache: async () => {
      const dir = await mkdtemp(join(tmpdir(), 'kr-features-'));
      t.after(() => rm(dir, { recursive: true, force: true }));
      return join(dir, 'cache');
    },
    start: ({ understands, ...options }) => {
      const settings = { secretKey: vendor.tokens.liveKey, projectId, telemetry: false };
      const node = createNode({ ...settings, ...options, log: () => {} }, { understands });
      t.after(() => node.close());
      return node;
    },
    change: async (key) => {
      key.needsAlpha = !key.needsAlpha;
      const scopes = key.needsAlpha ? [NEEDS_ALPHA] : [];
      await vendor.as.liveKey('PATCH /v1/keys/{id}', { id: key.id, scopes });
    },
  };
}

const accepts = (node: Keyrail, keys: Key[]) => keys.map(({ key }) => node.verify(key).allowed);

const expected = (understands: readonly string[], keys: Key[]) =>
  keys.map(({ needsAlpha }) => !needsAlpha || understands.includes(ALPHA));

async function settles(node: Keyrail, understands: readonly string[], keys: Key[]): Promise<void> {
  const wanted = String(expected(understands, keys));
  await until(() => String(accepts(node, keys)) === wanted);
}

test('after an upgrade or a downgrade, a node does not use the cache of the other release', async (t) => {
  const fleet = await fleetOf(t);
  for (const [before, after] of [
    [[], [ALPHA]],
    [[ALPHA], []],
    [[ALPHA], [ALPHA, 'beta']],
  ]) {
    ok(before && after);
    const cacheDir = await fleet.newCache();
    const first = fleet.start({ url: fleet.urls.direct, cacheDir, understands: before });
    await settles(first, before, fleet.keys);
    await first.close();

    const same = fleet.start({ url: NOWHERE, cacheDir, understands: before });
    await until(() => same.state().version !== null);
    deepEqual(accepts(same, fleet.keys), expected(before, fleet.keys), 'the cache works');
    await same.close();

    const other = fleet.start({ url: NOWHERE, cacheDir, understands: after });
    equal(await other.ready(300), false);
    deepEqual(accepts(other, fleet.keys), [false, false]);
    await other.close();

    const back = fleet.start({ url: NOWHERE, cacheDir, understands: before });
    equal(await back.ready(300), false);
    deepEqual(accepts(back, fleet.keys), [false, false], 'the old cache is gone');
    await back.close();

    const online = fleet.start({ url: fleet.urls.direct, cacheDir, understands: after });
    await settles(online, after, fleet.keys);
    await online.close();
  }
});

test('no node ever accepts a key that requires a feature the node does not support', async (t) => {
  const fleet = await fleetOf(t);
  const { keys } = fleet;
  for (let seed = 0; seed < SEEDS; seed += 1) {
    const chance = chanceFrom(seed);
    const caches = [await fleet.newCache(), await fleet.newCache()];
    const begin = (cacheDir: string) => {
      const understands = chance.pick(releases);
      const url = chance.pick([fleet.urls.direct, fleet.urls.relay]);
      return { cacheDir, understands, node: fleet.start({ url, cacheDir, understands }) };
    };
    let running = caches.map(begin);
    for (let step = 0; step < STEPS; step += 1) {
      const at = chance.below(running.length);
      if (chance.percent(50)) await fleet.change(chance.pick(keys));
      else {
        const old = running[at];
        ok(old);
        // If the old node is closed only after the new one has started, they share a cache for a
        // while.
        const isClosedFirst = chance.percent(70);
        if (isClosedFirst) await old.node.close();
        running = running.with(at, begin(old.cacheDir));
        if (!isClosedFirst) await old.node.close();
      }
      for (const { node, understands } of running) await settles(node, understands, keys);
    }
    const { data } = await fleet.as.liveKey('GET /v1/policy/nodes', {
      project_id: fleet.projectId,
    });
    deepEqual(
      data.map(({ understands }) => String(understands)).toSorted(),
      running
        .map(({ understands }) => String(understands.filter((word) => word === ALPHA)))
        .toSorted(),
    );
    for (const { node } of running) await node.close();
  }
});
