// Nodes behind a relay receive revocations. Revocations wait for each node individually, and the
// control plane decides what each node may read.
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { until } from '@keyrail/testing/until.ts';
import { exchanged } from '../../packages/edge/test/raw-http.ts';
import type { Keyrail } from '../../packages/sdk/src/api/keyrail.ts';
import type { KeyrailOptions } from '../../packages/sdk/src/api/options.ts';
import { createKeyrail } from '../../packages/sdk/src/keyrail.ts';
import { deploy, type Running } from './deployment.ts';
import { openTap, type RelayProcess, startRelay, type Tap } from './relay-ground.ts';
import { type Ground, newGround, type Propagation } from './sdk-ground.ts';

const NODES = 6;

type Scene = { t: TestContext; server: Running; ground: Ground; relay: RelayProcess };

const verdictOf = (node: Keyrail, key: string): string => {
  const decision = node.verify(key);
  return decision.allowed ? 'allowed' : decision.reason;
};

async function nodesOn(
  { t, ground }: Scene,
  url: string | string[],
  more: readonly Partial<KeyrailOptions>[],
): Promise<Keyrail[]> {
  const nodes = more.map((options) =>
    createKeyrail({ ...ground.options(''), url, telemetry: false, log: () => {}, ...options }),
  );
  t.after(() => Promise.all(nodes.map((node) => node.close())));
  for (const node of nodes) equal(await node.ready(), true, node.state().failure?.message);
  return nodes;
}

const ackedIn = ({ nodes }: Propagation): Map<string, boolean> =>
  new Map(nodes.map(({ node_id, acked }) => [node_id, acked]));

/**
 * Repeats a revocation until it is complete, because the first wait may be too short on a busy
 * machine.
 */
async function completed({ server, ground }: Scene, id: string): Promise<Propagation> {
  let propagation = await ground.revoke(server, id);
  await until(async () => {
    if (!propagation.complete) propagation = await ground.revoke(server, id);
    return propagation.complete;
  });
  return propagation;
}

/** Returns the public keys that verify the feed, as an operator would pin them. */
async function feedKeysOf(server: Running): Promise<NonNullable<KeyrailOptions['feedKeys']>> {
  let pinned: unknown;
  await until(async () => {
    const { keys } = await server.as(null)('GET /.well-known/jwks.json');
    const own = keys.filter((key) => Object(key).purpose === 'policy_feed');
    pinned = { keys: own };
    return own.length > 0;
  });
  return pinned as never; // other tests check the response against its schema
}

test('nodes behind a relay receive revocations and only the data they may read', async (t) => {
  const deployment = await deploy(t, { KEYRAIL_REVOKE_WAIT_MS: '3000' });
  const server = await deployment.run();
  const ground = await newGround(server);
  const tap = await openTap(t, server.url);
  const relay = await startRelay(t, tap.url, ground);
  const scene = { t, server, ground, relay };
  const feedKeys = await feedKeysOf(server);

  await t.test(
    'nodes receive revocations, and a revocation waits for each node individually',
    async () => {
      await revocationsArrive(scene, tap, feedKeys);
    },
  );
  await t.test(
    'a node delays a revocation until it has applied the revocation or left',
    async () => {
      await aSlowNodeIsWaitedFor(scene);
    },
  );
  await t.test(
    'nodes read only what their own secret keys allow, and only while these keys are valid',
    async () => {
      await secretKeysAreJudged(scene);
    },
  );
  await t.test("no node can act with another node's secret key", async () => {
    await noKeyActsForAnother(scene);
  });
  await t.test(
    'nodes reject an altered policy, and continue once they receive an intact one',
    async () => {
      await alteredPoliciesAreRefused(scene, tap, feedKeys);
    },
  );
});

async function revocationsArrive(scene: Scene, tap: Tap, feedKeys: KeyrailOptions['feedKeys']) {
  const { server, ground, relay } = scene;
  const options = Array.from({ length: NODES }, (_, n) => (n % 2 === 0 ? { feedKeys } : {}));
  const nodes = await nodesOn(scene, relay.url, options);
  await until(async () => (await relay.metric('keyrail_edge_relay_held_polls')) === NODES);
  equal(tap.heldPolls(), 1, 'one poll upstream for all nodes');
  for (let round = 0; round < 3; round += 1) {
    const { id, key } = await ground.issue(server);
    await until(() => nodes.every((node) => verdictOf(node, key) === 'allowed'));
    const propagation = await completed(scene, id);
    deepEqual(
      nodes.map((node) => verdictOf(node, key)),
      nodes.map(() => 'unknown_key'),
    );
    const acked = ackedIn(propagation);
    for (const node of nodes) equal(acked.get(node.state().nodeId), true);
    equal(acked.size, NODES + 1, 'the nodes and the Edge itself');
  }
  equal(nodes[0]?.state().failure, null);
  await until(() => tap.heldPolls() === 1);
  // Nodes unregister when they stop, so revocations no longer wait for them.
  await Promise.all(nodes.map((node) => node.close()));
  const { id } = await ground.issue(server);
  equal(ackedIn(await ground.revoke(server, id)).size, 1);
}

async function aSlowNodeIsWaitedFor(scene: Scene) {
  const { server, ground, relay } = scene;
  const headers = { authorization: `Bearer ${ground.secretKey}`, 'keyrail-node': 'slow' };
  const ask = async (endpoint: string, query: string) => {
    const path = `${relay.url}/v1/policy/${endpoint}?project_id=${ground.projectId}&${query}`;
    const response = await fetch(path, { headers });
    return { status: response.status, body: response.ok ? await response.json() : null };
  };
  const { id } = await ground.issue(server);
  const { body: snapshot } = await ask('snapshot', 'max_keys=100');
  const since = Number(Object(snapshot).version);
  const early = await ground.revoke(server, id);
  deepEqual([early.complete, ackedIn(early).get('slow')], [false, false]);
  const delta = await ask('delta', `since=${since}&max_keys=100`);
  equal(delta.status, 200);
  const held = await ground.revoke(server, id);
  deepEqual(
    [held.complete, ackedIn(held).get('slow')],
    [false, false],
    'the node has not applied the change',
  );
  equal((await ask('delta', `since=${Object(delta.body).version}&max_keys=100`)).status, 304);
  equal(ackedIn(await completed(scene, id)).get('slow'), true);
  await ask('delta', `since=${since}&node=slow&leave=true`);
  equal(ackedIn(await ground.revoke(server, id)).has('slow'), false);
}

async function secretKeysAreJudged({ server, ground, relay }: Scene) {
  const other = await newGround(server);
  const ask = async (secretKey: string, projectId = ground.projectId) => {
    const path = `/v1/policy/snapshot?project_id=${projectId}&node=n&max_keys=100`;
    const headers = { authorization: `Bearer ${secretKey}` };
    const [direct, relayed] = await Promise.all(
      [server.url, relay.url].map(async (url) => {
        const response = await fetch(`${url}${path}`, { headers });
        const { error, env } = Object(await response.json());
        return { status: response.status, code: error?.code, env };
      }),
    );
    return { direct, relayed };
  };
  const asVendor = server.as(ground.secretKey);
  const live = await asVendor('POST /v1/secret_keys', { env: 'live' });
  const onlyTest = await asVendor('POST /v1/secret_keys', { env: 'test' });
  for (const [key, env] of [
    [live.key, null],
    [onlyTest.key, 'test'],
  ] as const) {
    const { direct, relayed } = await ask(String(key));
    deepEqual([relayed, relayed?.env], [direct, env]);
    equal(relayed?.status, 200);
  }
  const { direct, relayed } = await ask(other.secretKey);
  deepEqual([relayed?.status, relayed], [404, direct]);
  equal(
    (await ask(other.secretKey, other.projectId)).relayed?.status,
    404,
    'not of this workspace',
  );
  await asVendor('POST /v1/secret_keys/{id}/revoke', { id: String(live.id) });
  const revoked = await ask(String(live.key));
  deepEqual([revoked.relayed?.status, revoked.relayed], [401, revoked.direct]);
  const nobody = await fetch(`${relay.url}/v1/policy/snapshot?project_id=${ground.projectId}`);
  equal(nobody.status, 401);
}

/**
 * Attacks the relay with a GET whose body begins a second request. If the relay forwarded the body,
 * the next node's headers would complete that request, with the node's secret key.
 */
async function noKeyActsForAnother({ t, server, ground, relay }: Scene) {
  const ATTEMPTS = 5;
  const asVendor = server.as(ground.secretKey);
  const { key: testKey } = await asVendor('POST /v1/secret_keys', { env: 'test' });
  const victim = await ground.issue(server);
  const port = Number(new URL(relay.url).port);
  const body = `POST /v1/keys/${victim.id}/revoke HTTP/1.1\r\nHost: x\r\nX-Ignore: `;
  const feed = `/v1/policy/snapshot?project_id=${ground.projectId}`;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const attack = [
      `GET ${feed} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${testKey}`,
      'If-None-Match: "x"\r\nTransfer-Encoding: chunked\r\n',
      `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
    ];
    await exchanged(t, port, attack.join('\r\n'));
    // The relay doesn't know this new secret key yet, so it sends a request of its own to verify
    // it.
    const live = await asVendor('POST /v1/secret_keys', { env: 'live' });
    const headers = { authorization: `Bearer ${live.key}` };
    equal((await fetch(`${relay.url}${feed}`, { headers })).status, 200);
  }
  const { revoked_at } = await asVendor('GET /v1/keys/{id}', { id: victim.id });
  equal(revoked_at, null);
}

async function alteredPoliciesAreRefused(
  scene: Scene,
  tap: Tap,
  feedKeys: KeyrailOptions['feedKeys'],
) {
  const { server, ground, relay } = scene;
  const [node] = await nodesOn(scene, relay.url, [{ feedKeys }]);
  ok(node);
  const before = node.state().version;
  tap.alter = (body) => body.replace('"scopes":[]', '"scopes":["admin"]');
  const { id, key } = await ground.issue(server);
  await until(() => node.state().failure !== null);
  match(node.state().failure?.message ?? '', /its body was altered/);
  deepEqual([node.state().version, verdictOf(node, key)], [before, 'unknown_key']);
  equal((await ground.revoke(server, id)).complete, false, 'it is still counted');
  tap.alter = null;
  await until(() => node.state().failure === null);
  ok(Number(node.state().version) > Number(before));
}
