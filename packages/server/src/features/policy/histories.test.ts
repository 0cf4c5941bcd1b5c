// Random sequences of every key operation, over HTTP. Whatever its filter, page size and starting
// point, a node that applies the deltas ends up in the same state as a fresh snapshot.
import { deepEqual, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { applied, fold, type Held, poll, readAll } from '@keyrail/testing/feed.ts';
import { type Harness, harness, Refusal } from '@keyrail/testing/harness.ts';
import { foreignKey, importedKey } from '@keyrail/testing/imports.ts';
import { type Chance, chanceFrom } from '@keyrail/testing/seeded-scheduler.ts';
import { DAY_MS, HOUR_MS } from '../../base/duration.ts';
import { pruneFeed } from './prune-feed.job.ts';
import { retireKeys } from './retire-keys.job.ts';

const SEEDS = Number(process.env.KEYRAIL_TEST_HISTORIES ?? 3);
const FIRST_SEED = Number(process.env.KEYRAIL_TEST_FIRST_SEED ?? 0);
const STEPS = 60;
const BETWEEN_PAGES_PERCENT = 15;
const DELETED_AT_LAST_PERCENT = 30;

type Known = { id: string; key: string };
type Scene = {
  app: Harness;
  chance: Chance;
  project_id: string;
  tenants: string[];
  keys: Known[];
  isOver: boolean;
};
type Act = (scene: Scene, known: Known) => Promise<unknown>;

const endOf = ({ app, chance }: Scene): string | null => {
  const afterMs = chance.below(8) * DAY_MS + HOUR_MS;
  return chance.percent(30) ? null : new Date(app.clock.now().getTime() + afterMs).toISOString();
};

const limits = (limit: number) => [
  { id: 'r', limit, window_ms: 1000, algorithm: 'fixed', scope: 'key' },
];

const create: Act = async (scene) => {
  const { app, chance, project_id, tenants, keys } = scene;
  const env = chance.pick(['live', 'test']);
  const tenant_id = chance.pick(tenants);
  const rate_limits = chance.pick([null, limits(1)]);
  const expires_at = endOf(scene);
  const meta = { made: chance.below(9) };
  const more = { meta, ...(rate_limits && { rate_limits }), ...(expires_at && { expires_at }) };
  const { id, key } = await app.given.key({ project_id, tenant_id, env, ...more });
  keys.push({ id, key });
};

const importSome: Act = async (scene) => {
  const { app, chance, project_id, tenants, keys } = scene;
  const expires_at = endOf(scene);
  const texts = Array.from({ length: 1 + chance.below(5) }, foreignKey);
  const { data } = await app.as.liveKey('POST /v1/keys/import', {
    project_id,
    env: chance.pick(['live', 'test']),
    keys: texts.map((text) =>
      importedKey(text, { tenant_id: chance.pick(tenants), ...(expires_at && { expires_at }) }),
    ),
  });
  keys.push(...data.map(({ id }, index) => ({ id, key: texts[index] ?? '' })));
};

const acts: [number, Act][] = [
  [6, create],
  [2, importSome],
  [
    3,
    ({ app, chance }, { id }) =>
      app.as.liveKey('PATCH /v1/keys/{id}', { id, scopes: [`s${chance.below(4)}`] }),
  ],
  [
    3,
    ({ app, chance }, { id }) =>
      app.as.liveKey('PATCH /v1/keys/{id}', { id, meta: { changed: chance.below(99) } }),
  ],
  [
    3,
    (scene, { id }) =>
      scene.app.as.liveKey('PATCH /v1/keys/{id}', { id, expires_at: endOf(scene) }),
  ],
  [
    2,
    ({ app, chance }, { id }) =>
      app.as.liveKey('PATCH /v1/keys/{id}', { id, rate_limits: chance.pick([null, limits(7)]) }),
  ],
  [
    3,
    async ({ app, chance, keys }, { id }) => {
      const overlap_hours = chance.below(48);
      keys.push(await app.as.liveKey('POST /v1/keys/{id}/rotate', { id, overlap_hours }));
    },
  ],
  [3, ({ app }, { id }) => app.as.liveKey('POST /v1/keys/{id}/revoke', { id })],
  [3, ({ app }, { id }) => app.as.liveKey('POST /v1/keys/{id}/disable', { id })],
  [3, ({ app }, { id }) => app.as.liveKey('POST /v1/keys/{id}/enable', { id })],
  [
    2,
    ({ app }, { key }) =>
      app.as.scanner('POST /v1/webhooks/scanner/secret_scanning', {
        reports: [{ token: key, type: 'keyrail_key', url: 'https://x.invalid', source: 'content' }],
      }),
  ],
  [
    1,
    async ({ app, tenants }) => {
      await app.as.liveKey('DELETE /v1/tenants/{id}', { id: tenants.shift() });
      tenants.push((await app.given.tenant()).id);
    },
  ],
  [
    1,
    ({ app, chance, project_id }) =>
      app.as.liveKey('PATCH /v1/projects/{id}', {
        id: project_id,
        default_rate_limits: limits(1 + chance.below(9)),
      }),
  ],
  [
    6,
    async ({ app, chance }) => {
      app.clock.shift((2 + chance.below(12)) * DAY_MS);
      await retireKeys(app.testApp.app.worker);
    },
  ],
  [
    1,
    async ({ app }) => {
      app.clock.shift(16 * DAY_MS);
      await pruneFeed(app.testApp.app.worker);
    },
  ],
];
const bag = acts.flatMap(([weight, act]) => Array.from({ length: weight }, () => act));

/** Runs a random action. Rejected requests, such as changes to a revoked key, are ignored. */
async function happen(scene: Scene): Promise<void> {
  const { chance, keys } = scene;
  if (keys.length === 0) return void (await create(scene, { id: '', key: '' }));
  await chance
    .pick(bag)(scene, chance.pick(keys))
    .catch((error: unknown) => {
      if (!(error instanceof Refusal && [404, 409].includes(error.answer.status))) throw error;
    });
}

const includes = [
  {},
  { include: 'meta' },
  { include: 'external_id' },
  { include: 'meta,external_id' },
];

type Node = { asked: Record<string, unknown>; has: Held | null };

/**
 * Reads either a delta, or a snapshot with random actions between its pages. False if nothing has
 * changed since the last read.
 */
async function exchange(scene: Scene, node: Node): Promise<boolean> {
  const { app, chance } = scene;
  const start = async () => {
    node.has = await readAll(app, { max_keys: 10_000, ...node.asked }, async () => {
      if (!scene.isOver && chance.percent(BETWEEN_PAGES_PERCENT)) await happen(scene);
    });
  };
  if (node.has === null) {
    await start();
    return true;
  }
  const asked = { ...node.asked, since: node.has.version };
  const { status, page } = await poll(app, 'GET /v1/policy/delta', asked);
  if (status === 304) return false;
  if (page.object === 'policy_snapshot') await start();
  else node.has = applied(node.has, page);
  return true;
}

async function live(app: Harness, seed: number): Promise<number> {
  const chance = chanceFrom(seed);
  const { id: project_id } = await app.given.project();
  const tenants = await Promise.all([1, 2, 3].map(async () => (await app.given.tenant()).id));
  const scene: Scene = { app, chance, project_id, tenants, keys: [], isOver: false };
  const nodes = [{}, { env: 'live' }, { env: 'test' }, { tenant_id: [...tenants] }]
    .flatMap((filter) => includes.map((include) => ({ ...filter, ...include })))
    .flatMap((filter) => [filter, { ...filter, max_keys: 1 + chance.below(4) }])
    .map((filter): Node => ({ asked: { project_id, ...filter }, has: null }));
  for (let step = 0; step < STEPS; step += 1) {
    await happen(scene);
    if (chance.percent(70)) await exchange(scene, chance.pick(nodes));
  }
  if (chance.percent(DELETED_AT_LAST_PERCENT)) {
    await app.as.liveKey('DELETE /v1/projects/{id}', { id: project_id });
  }
  scene.isOver = true;
  for (const node of nodes) {
    while (await exchange(scene, node));
    const fresh = await readAll(app, { ...node.asked, max_keys: 10_000 });
    deepEqual(node.has && fold(node.has), fold(fresh), JSON.stringify(node.asked));
  }
  return scene.keys.length;
}

for (let seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed += 1) {
  test(`every node ends up in the same state as a fresh snapshot, seed ${seed}`, async (t) => {
    const keys = await live(await harness(t), seed);
    ok(keys > STEPS / 12, `only ${keys} keys were created`);
  });
}
