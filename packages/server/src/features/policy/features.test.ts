// A node gets a key only if it can enforce all features that the key requires. The feature here
// exists only in tests.
import { deepEqual, equal, match } from 'node:assert/strict';
import { test } from 'node:test';
import { ALPHA, NEEDS_ALPHA, vendorWithFeature } from '@keyrail/testing/features.ts';
import { poll, readAll } from '@keyrail/testing/feed.ts';
import { codeOf, type Input } from '@keyrail/testing/harness.ts';

const snapshot = 'GET /v1/policy/snapshot';
const delta = 'GET /v1/policy/delta';

test('a snapshot omits keys that require a feature missing from the node’s list', async (t) => {
  const vendor = await vendorWithFeature(t);
  const { id: plain, project_id } = await vendor.given.key();
  const { id: needy } = await vendor.given.key({ project_id, scopes: [NEEDS_ALPHA] });
  const idsFor = async (input: Input) =>
    [...(await readAll(vendor, { project_id, ...input })).keys.keys()].toSorted();
  deepEqual(await idsFor({}), [plain]);
  deepEqual(await idsFor({ understands: 'beta' }), [plain]);
  deepEqual(await idsFor({ understands: ALPHA }), [plain, needy].toSorted());
  deepEqual(await idsFor({ understands: `beta,,${ALPHA},${ALPHA}` }), [plain, needy].toSorted());
  deepEqual(await idsFor({ max_keys: 1 }), [plain]);
});

test('a delta removes a key that a node can no longer enforce, and restores it once the node can', async (t) => {
  const vendor = await vendorWithFeature(t);
  const { id, project_id } = await vendor.given.key();
  const { version: since } = await readAll(vendor, { project_id });
  const changesFor = async (input: Input) => {
    const { page } = await poll(vendor, delta, { project_id, since, ...input });
    return page.changes.map(({ change, reason }) => [change, reason]);
  };
  await vendor.as.liveKey('PATCH /v1/keys/{id}', { id, scopes: [NEEDS_ALPHA] });
  deepEqual(await changesFor({}), [['remove', 'unsupported']]);
  deepEqual(await changesFor({ understands: ALPHA }), [['upsert', undefined]]);
  await vendor.as.liveKey('PATCH /v1/keys/{id}', { id, scopes: [NEEDS_ALPHA, 'more'] });
  deepEqual(await changesFor({}), [['remove', 'unsupported']]);
  await vendor.as.liveKey('PATCH /v1/keys/{id}', { id, scopes: [] });
  deepEqual(await changesFor({}), [['upsert', undefined]]);
  await vendor.as.liveKey('PATCH /v1/keys/{id}', { id, scopes: [NEEDS_ALPHA] });
  await vendor.as.liveKey('POST /v1/keys/{id}/disable', { id });
  deepEqual(await changesFor({}), [['remove', 'disabled']]);
  await vendor.as.liveKey('POST /v1/keys/{id}/revoke', { id });
  deepEqual(await changesFor({}), [['remove', 'revoked']]);
});

test('the ETag and the cursor depend on which supported features a node lists, but not on their order', async (t) => {
  const vendor = await vendorWithFeature(t);
  const { project_id } = await vendor.given.key();
  await vendor.given.key({ project_id });
  const etagFor = async (understands?: string) =>
    (await poll(vendor, snapshot, { project_id, ...(understands && { understands }) })).headers
      .etag;
  const none = await etagFor();
  const alpha = await etagFor(ALPHA);
  equal(await etagFor('beta'), none);
  equal(await etagFor(`zeta,${ALPHA},beta`), alpha);
  match(String(alpha), /\+alpha:/);
  const { page } = await poll(vendor, snapshot, { project_id, max_keys: 1 });
  const other = { project_id, max_keys: 1, cursor: page.next_cursor, understands: ALPHA };
  const headers = { authorization: `Bearer ${vendor.tokens.liveKey}` };
  equal((await vendor.ask(snapshot, other, headers)).status, 400);
});

test('the list of features must consist of 1 to 200 lowercase letters and commas, and may be sent only once', async (t) => {
  const vendor = await vendorWithFeature(t);
  const { project_id } = await vendor.given.key();
  const headers = { authorization: `Bearer ${vendor.tokens.liveKey}` };
  const asked = async (understands: unknown) => {
    const answer = await vendor.ask(snapshot, { project_id, understands }, headers);
    return answer.status === 200 ? 200 : codeOf(answer);
  };
  for (const good of [',', 'a'.repeat(200), `${ALPHA},beta`]) equal(await asked(good), 200, good);
  for (const bad of ['', 'Alpha', 'al-pha', 'a b', 'a'.repeat(201), [ALPHA, 'beta']]) {
    equal(await asked(bad), 'invalid_request', String(bad));
  }
});

test('the node list shows the features from each node’s last poll, except those unknown to the server, even behind a relay', async (t) => {
  const vendor = await vendorWithFeature(t);
  const { project_id } = await vendor.given.key();
  const listed = async () => {
    const { data } = await vendor.as.liveKey('GET /v1/policy/nodes', { project_id });
    return Object.fromEntries(data.map(({ node_id, understands }) => [node_id, understands]));
  };
  const asNode = (node: string, understands?: string) =>
    poll(vendor, snapshot, { project_id, node, ...(understands && { understands }) });
  await asNode('direct');
  deepEqual(await listed(), { direct: [] });
  await asNode('direct', `beta,${ALPHA}`);
  const nodes = [{ node_id: 'relayed', understands: `${ALPHA},beta` }, { node_id: 'old' }];
  await vendor.as.liveKey('POST /v1/policy/report', { project_id, nodes });
  deepEqual(await listed(), { direct: [ALPHA], relayed: [ALPHA], old: [] });
  await asNode('direct');
  deepEqual(await listed(), { direct: [], relayed: [ALPHA], old: [] });
});

test('a dry run counts the nodes that would reject the key after the change', async (t) => {
  const vendor = await vendorWithFeature(t);
  const { id, project_id } = await vendor.given.key();
  for (const [node, understands] of [['able', ALPHA], ['unable'], ['unable-too']] as const) {
    await poll(vendor, snapshot, { project_id, node, ...(understands && { understands }) });
  }
  await poll(vendor, snapshot, { project_id, node: 'test', env: 'test' });
  const unable = async (scopes: string[]) => {
    const headers = { authorization: `Bearer ${vendor.tokens.liveKey}` };
    const input = { id, scopes, dry_run: true };
    const { body } = await vendor.ask('PATCH /v1/keys/{id}', input, headers);
    return [body.nodes, body.nodes_unable];
  };
  deepEqual(await unable([NEEDS_ALPHA]), [3, 2]);
  deepEqual(await unable(['other']), [3, 0]);
  await vendor.as.liveKey('PATCH /v1/keys/{id}', { id, scopes: [NEEDS_ALPHA] });
  deepEqual(await unable([NEEDS_ALPHA, 'other']), [3, 0], 'they reject it already');
});

test('the node list can be filtered for nodes whose secret key has more permissions than a node needs', async (t) => {
  const vendor = await vendorWithFeature(t);
  const { project_id } = await vendor.given.key();
  const listed = async (input: Input = {}) => {
    const asked = { project_id, overprivileged: true, ...input };
    const { data } = await vendor.as.liveKey('GET /v1/policy/nodes', asked);
    return data.map(({ node_id }) => node_id).toSorted();
  };
  const keyOf = async (input: Input) =>
    (await vendor.as.liveKey('POST /v1/secret_keys', { env: 'live', ...input })).key;
  const pollWith = async (key: string, node: string) =>
    vendor.as.token(key)(snapshot, { project_id, node });
  const least = await keyOf({ profile: 'node' });
  await pollWith(least, 'least');
  await pollWith(await keyOf({ permissions: ['policy:read'] }), 'less');
  const wide = await vendor.as.liveKey('POST /v1/secret_keys', {
    env: 'live',
    permissions: ['policy:read', 'keys:write'],
  });
  await pollWith(wide.key, 'more');
  await pollWith(await keyOf({}), 'everything');
  deepEqual(await listed(), ['everything', 'more']);
  await pollWith(least, 'everything');
  deepEqual(await listed(), ['more'], 'it has switched to a node key');
  await vendor.as.liveKey('POST /v1/secret_keys/{id}/revoke', { id: wide.id });
  deepEqual(await listed(), []);
});
