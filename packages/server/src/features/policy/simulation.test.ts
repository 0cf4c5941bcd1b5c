// Runs the feed through thousands of different sequences of events. Between any two statements or
// pages, a seed decides whether a writer, an upkeep job or one of three nodes runs next. A failure
// reports its seed.
import { equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import type { FeedInclude } from '@keyrail/protocol/wire/feed-include.ts';
import { FeedModel, PROJECT } from '@keyrail/testing/feed-model.ts';
import { Node, type Scene } from '@keyrail/testing/feed-nodes.ts';
import { inRun } from '@keyrail/testing/full-run.ts';
import { type Chance, chanceFrom, turnsBy } from '@keyrail/testing/seeded-scheduler.ts';

const SEEDS = Number(process.env.KEYRAIL_TEST_SEEDS ?? inRun({ usual: 1000, full: 2000 }));
const FIRST_SEED = Number(process.env.KEYRAIL_TEST_FIRST_SEED ?? 0);
const WRITES = 40;
const POLLS = 25;
const LOOKS_MAX = 60;

const tenants = ['t1', 't2', 't3'];
/** The features a node may understand. An upgrade adds features, and a downgrade removes them. */
const releases = [[], ['alpha'], ['alpha', 'beta'], ['beta']];
const includes: FeedInclude[][] = [[], ['meta'], ['external_id'], ['external_id', 'meta']];

function askedBy(chance: Chance) {
  const tenantIds = chance.pick([null, null, ['t1'], ['t1', 't2'], ['unknown']]);
  const env = chance.pick([null, 'live', 'test'] as const);
  const pageKeysMax = chance.pick([null, null, 1, 2, 3]);
  const include = chance.pick(includes);
  const understands = chance.pick(releases);
  return { filter: { projectId: PROJECT, env, tenantIds, include, understands }, pageKeysMax };
}

async function writeAtRandom({ model, chance, turn }: Scene): Promise<void> {
  for (let n = 0; n < WRITES; n += 1) {
    await turn();
    writeOnce(model, chance);
  }
}

function writeOnce(model: FeedModel, chance: Chance): void {
  const { head, keys } = model.state;
  const unrevoked = [...keys.values()].filter(({ isRevoked }) => !isRevoked);
  const ids = unrevoked.map(({ id }) => id);
  const some = () => ids.filter(() => chance.percent(30)).slice(0, 4);
  const act = chance.below(100);
  if (act < 45 && !head.isDeleted) {
    const expiresAt = chance.pick([null, new Date(chance.below(9))]);
    model.create(chance.pick(['live', 'test'] as const), chance.pick(tenants), expiresAt);
  } else if (act < 53) model.change(some(), { meta: { act } });
  else if (act < 57) model.change(some(), { scopes: [`s${act}`] });
  else if (act < 60) model.change(some(), { requires: chance.pick(releases) });
  else if (act < 70) model.change(some(), { isRevoked: true });
  else if (act < 75) model.change(some(), { isDisabled: chance.percent(50) });
  else if (act < 83) model.change(some(), { expiresAt: new Date(act), isRetired: false });
  else if (act < 90) retire(model);
  else if (act < 94) model.changeDefaults(act);
  else if (act < 99) model.prune(Math.max(1, head.version - chance.below(12)));
  else if (!head.isDeleted) model.remove();
}

function retire(model: FeedModel): void {
  const due = [...model.state.keys.values()].filter(
    ({ expiresAt, isRevoked, isRetired }) => expiresAt && !isRevoked && !isRetired,
  );
  model.change(
    due.slice(0, 2).map(({ id }) => id),
    { isRetired: true },
  );
}

async function live(node: Node, { chance }: Scene): Promise<void> {
  for (let n = 0; n < POLLS; n += 1) {
    if (chance.percent(6)) node.restart(askedBy(chance));
    await node.poll();
  }
}

/** Revokes a key and asserts that no node that acknowledged the revocation still has the key. */
async function revokeAndWait({ model, turn, acks, chance }: Scene, nodes: Node[]): Promise<void> {
  for (let look = 0; model.state.keys.size < 4; look += 1) {
    if (look > LOOKS_MAX) return;
    await turn();
  }
  const { id } = chance.pick([...model.state.keys.values()]);
  model.change([id], { isRevoked: true });
  const { version } = model.state.head;
  for (let look = 0; look < LOOKS_MAX; look += 1) {
    await turn();
    for (const { name, held } of nodes) {
      if ((acks.get(name) ?? 0) >= version)
        ok(!held?.keys.has(id), 'a node acknowledged the revocation and still has the key');
    }
  }
}

async function simulate(seed: number): Promise<number> {
  const chance = chanceFrom(seed);
  const { turn, run } = turnsBy(chance);
  const model = new FeedModel();
  const keysMax = chance.pick([2, 4, 100]);
  const scene: Scene = { model, chance, turn, keysMax, acks: new Map() };
  const nodes = ['a', 'b', 'c'].map((name) => new Node(name, scene, askedBy(chance)));
  const writing = [writeAtRandom(scene), revokeAndWait(scene, nodes)];
  await run([...writing, ...nodes.map((node) => live(node, scene))]);
  // There are no more writes. Every node catches up, and must then match a fresh snapshot.
  await run(
    nodes.map(async (node) => {
      while (!(await node.poll()));
    }),
  );
  for (const node of nodes) {
    equal(node.held?.version, model.state.head.version);
    node.holdsTheTruth();
  }
  return model.state.head.version;
}

test('in any order of events, every node ends up in the same state as a fresh snapshot', async (t) => {
  let versions = 0;
  for (let seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed += 1) {
    versions += await simulate(seed).catch((error: unknown) => {
      throw new Error(`seed ${seed}`, { cause: error });
    });
  }
  ok(versions > SEEDS * 10, 'too few changes happened');
  t.diagnostic(`${SEEDS} seeds, ${versions} versions`);
});
