// Several API processes share one PostgreSQL. Keys are written through one and polled through the
// others, while their LISTEN connections are cut repeatedly. No change is missed, and a revocation
// is complete only when every node has it.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { after, before, type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createPostgresCopy, dropPostgresCopy } from '@keyrail/testing/database-copies.ts';
import { fold, type Held } from '@keyrail/testing/feed.ts';
import {
  type Client,
  catchUp,
  type FeedQuery,
  type RunningNode,
  readSnapshot,
  request,
  startNode,
} from '@keyrail/testing/feed-client.ts';
import { BOOTSTRAP_TOKEN, settingsFor } from '@keyrail/testing/processes/homes.ts';
import { type ServerProcess, startServer } from '@keyrail/testing/processes/server.ts';
import { type Chance, chanceFrom } from '@keyrail/testing/seeded-scheduler.ts';
import pg from 'pg';

const superuserUrl = process.env.KEYRAIL_TEST_POSTGRES;
const skip = process.env.KEYRAIL_TEST_STORE !== 'postgres' && 'several processes need PostgreSQL';
const SERVERS = 3;
const WRITERS = 6;
const WRITES = 40;
const REVOCATIONS = 6;
const REVOKE_WAIT_MS = 20_000;
/** Polls are held for longer than a revocation waits, so that nodes receive it during a poll. */
const LONG_POLL_MS = 30_000;

let url: string;
let servers: ServerProcess[] = [];
let admin: pg.Client;

before(async () => {
  if (skip || !superuserUrl) return;
  url = await createPostgresCopy(superuserUrl);
  const settings = { ...settingsFor(url), KEYRAIL_REVOKE_WAIT_MS: String(REVOKE_WAIT_MS) };
  servers = await Promise.all(Array.from({ length: SERVERS }, () => startServer(settings)));
  const login = new URL(url);
  login.username = 'postgres';
  admin = new pg.Client({ connectionString: login.toString() });
  await admin.connect();
});
after(async () => {
  await Promise.all(servers.map((server) => server.kill()));
  await admin?.end();
  if (url) await dropPostgresCopy(superuserUrl ?? '', url);
});

const through = (at: number, token: string): Client => ({
  url: servers[at % SERVERS]?.url ?? '',
  token,
});

async function made(client: Client, path: string, body: object): Promise<string> {
  const answer = await request(client, path, { method: 'POST', body });
  ok(answer.status < 300, `${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return String(answer.body.id);
}

type Ground = { token: string; project_id: string; tenants: string[] };

async function newGround(): Promise<Ground> {
  const body = { name: 'Acme', slug: `acme-${crypto.randomUUID().slice(0, 18)}` };
  const client = through(0, BOOTSTRAP_TOKEN);
  const founded = await request(client, '/v1/workspaces', { method: 'POST', body });
  const token = String(Reflect.get(Object(founded.body.secret_key), 'key'));
  const owner = through(0, token);
  const project_id = await made(owner, '/v1/projects', { name: 'Orders', slug: 'orders' });
  const tenants = [];
  for (const external_id of ['a', 'b', 'c']) {
    tenants.push(await made(owner, '/v1/tenants', { external_id }));
  }
  return { token, project_id, tenants };
}

const filtersOf = ({ project_id, tenants }: Ground): FeedQuery[] => [
  { project_id },
  { project_id, env: 'live' },
  { project_id, env: 'test', max_keys: 7 },
  { project_id, tenant_id: tenants.slice(0, 1) },
  { project_id, tenant_id: tenants.slice(1), env: 'live', max_keys: 5 },
  { project_id, max_keys: 11 },
];

/** Starts one node for each filter, spread over the servers that receive no writes. */
const startNodes = (ground: Ground, waitMs?: number): RunningNode[] =>
  filtersOf(ground).map((query, at) =>
    startNode(through(1 + (at % 2), ground.token), { ...query, node: `node-${at}` }, waitMs),
  );

async function writeAtRandom(ground: Ground, chance: Chance): Promise<void> {
  const client = through(0, ground.token);
  const ids: string[] = [];
  for (let n = 0; n < WRITES; n += 1) {
    const act = ids.length === 0 ? 0 : chance.below(4);
    if (act < 2) {
      const { project_id } = ground;
      const tenant_id = chance.pick(ground.tenants);
      const env = chance.pick(['live', 'test']);
      ids.push(await made(client, '/v1/keys', { project_id, tenant_id, env }));
    } else if (act === 2) {
      await request(client, `/v1/keys/${chance.pick(ids)}/revoke`, { method: 'POST' });
    } else {
      const body = { scopes: [`s${n}`] };
      await request(client, `/v1/keys/${chance.pick(ids)}`, { method: 'PATCH', body });
    }
  }
}

async function cutEars(): Promise<void> {
  await admin.query(`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name = 'keyrail-listener'`);
}

/** Calls `act` repeatedly until `work` is done. */
async function during(work: Promise<unknown>, act: () => Promise<void>): Promise<void> {
  let isOver = false;
  const over = work.finally(() => {
    isOver = true;
  });
  while (!isOver) await act();
  await over;
}

async function assertFolded(ground: Ground, query: FeedQuery, held: Held): Promise<void> {
  const { node: _unused, ...filter } = query;
  const fresh = await readSnapshot(through(2, ground.token), filter);
  equal(held.version, fresh.version);
  deepEqual(fold(held), fold(fresh), JSON.stringify(filter));
}

test('every node and every old snapshot catches up with the current policy, no matter which connection breaks', {
  skip,
}, async (t) => {
  const ground = await newGround();
  const chance = chanceFrom(Number(process.env.KEYRAIL_TEST_FIRST_SEED ?? 1));
  const nodes = startNodes(ground);
  const filters = filtersOf(ground);
  const starts: { query: FeedQuery; held: Held }[] = [];
  const writing = Promise.all(
    Array.from({ length: WRITERS }, (_, n) => writeAtRandom(ground, chanceFrom(n))),
  );
  const snapping = async () => {
    const query = chance.pick(filters);
    starts.push({ query, held: await readSnapshot(through(1, ground.token), query) });
  };
  const disturbing = async () => {
    await sleep(150);
    if (chance.percent(50)) await cutEars();
    if (chance.percent(50)) chance.pick(nodes).restart();
  };
  await Promise.all([writing, during(writing, snapping), during(writing, disturbing)]);
  for (const node of nodes) await assertFolded(ground, node.query, await node.stop());
  for (const { query, held } of starts) {
    await assertFolded(ground, query, await catchUp(through(2, ground.token), query, held));
  }
  t.diagnostic(`${starts.length} snapshots followed ${WRITERS * WRITES} writes`);
});

function newKey({ token, project_id, tenants: [tenant_id] }: Ground): Promise<string> {
  return made(through(0, token), '/v1/keys', { project_id, tenant_id, env: 'live' });
}

/** Revokes a key, waits for all nodes, and checks that they have really applied the revocation. */
async function revokeEverywhere(ground: Ground, nodes: RunningNode[]): Promise<void> {
  const client = through(0, ground.token);
  const id = await newKey(ground);
  const answer = await request(client, `/v1/keys/${id}/revoke?wait=true`, { method: 'POST' });
  const propagation = Object(answer.body.propagation);
  equal(propagation.complete, true, JSON.stringify(propagation));
  // The node that follows only test keys isn't counted when a live key is revoked.
  equal(propagation.total_nodes, nodes.length - 1);
  for (const node of nodes) {
    ok(!node.held()?.keys.has(id), 'complete, but a node still accepts the key');
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const beganAt = performance.now();
  await work();
  return performance.now() - beganAt;
}

async function settledNodes(
  t: TestContext,
  ground: Ground,
  waitMs?: number,
): Promise<RunningNode[]> {
  const nodes = startNodes(ground, waitMs);
  t.after(() => Promise.all(nodes.map((node) => node.stop())));
  while (nodes.some((node) => node.held() === null)) await sleep(20);
  return nodes;
}

test('a revocation is complete when every node has it, no matter which process each node polls', {
  skip,
}, async (t) => {
  const ground = await newGround();
  const nodes = await settledNodes(t, ground);
  const times: number[] = [];
  for (let n = 0; n < REVOCATIONS; n += 1) {
    times.push(await timed(() => revokeEverywhere(ground, nodes)));
  }
  t.diagnostic(`with notifications: ${times.map(Math.round).join(', ')} ms`);
  nodes[0]?.restart();
  await revokeEverywhere(ground, nodes);
});

test('without notifications between processes, nodes still receive a change during their poll', {
  skip,
}, async (t) => {
  const ground = await newGround();
  const nodes = await settledNodes(t, ground, LONG_POLL_MS);
  const times: number[] = [];
  for (let n = 0; n < 3; n += 1) {
    let isOver = false;
    const cutting = (async () => {
      while (!isOver) await Promise.all([cutEars(), sleep(5)]);
    })();
    await sleep(50);
    times.push(await timed(() => revokeEverywhere(ground, nodes)));
    isOver = true;
    await cutting;
  }
  t.diagnostic(`without notifications: ${times.map(Math.round).join(', ')} ms`);
  const stopping = nodes.map((node) => node.stop());
  await newKey(ground); // ends their polls
  await Promise.all(stopping);
});
