// A search finds everything in a workspace that the caller may list.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { searchTypes } from '@keyrail/protocol/wire/search-types.ts';
import { type Caller, type Harness, harness, refused } from '@keyrail/testing/harness.ts';
import { appBeside } from '@keyrail/testing/second-app.ts';
import { openLog } from '../../base/log.ts';

const line = 'GET /v1/search';

const found = async (call: Caller, q: string, more: object = {}) =>
  (await call(line, { q, ...more })).data;

const idsOf = async (call: Caller, q: string, more: object = {}) =>
  (await found(call, q, more)).map(({ id }) => id);

const limitedKey = async ({ as }: Harness, limits: object) =>
  as.token((await as.liveKey('POST /v1/secret_keys', { env: 'live', ...limits })).key);

/** A workspace with one object of each type. */
async function ground(t: TestContext) {
  const app = await harness(t);
  const { as, given } = app;
  const project = await given.project({ name: 'Harbour billing', slug: 'harbour-2' });
  const tenant = await given.tenant({ name: 'Globex Corporation', external_id: 'cust_1042' });
  const place = { project_id: project.id, tenant_id: tenant.id };
  const key = await given.key({ ...place, name: 'Partner integration 381' });
  const testKey = await given.key({ ...place, name: 'Partner sandbox', env: 'test' });
  const secret = await as.liveKey('POST /v1/secret_keys', { env: 'live', name: 'Nightly deploy' });
  const member = await app.people.member();
  await as.liveKey('GET /v1/policy/snapshot', { project_id: project.id, node: 'edge-fra-07' });
  return { ...app, project, tenant, key, testKey, secret, member };
}

test('objects of every type are found by any part of any of their fields', async (t) => {
  const { as, project, tenant, key, secret, member } = await ground(t);
  const texts: Record<string, string[]> = {
    [key.id]: ['integration', 'NER INT', '381', key.display_prefix.slice(4), key.id.slice(9)],
    [tenant.id]: ['globex', 'CORPOR', 'cust_1042', '_1042', tenant.id, tenant.id.slice(9)],
    [project.id]: ['our bil', 'harbour-2', 'bour-2', project.id, project.id.slice(9)],
    [secret.id]: ['deploy', 'htly DEP', secret.display_prefix, secret.display_prefix.slice(5)],
    [member.userId]: [member.email, member.email.slice(3).toUpperCase()],
    'edge-fra-07': ['edge-fra-07', 'FRA', 'e-fra-0'],
  };
  for (const [id, qs] of Object.entries(texts)) {
    for (const q of qs) deepEqual(await idsOf(as.liveKey, q), [id], q);
  }
});

test('a result has a title, a subtitle, a state and the object’s path', async (t) => {
  const { as, project, tenant, key, secret, member } = await ground(t);
  const one = async (q: string) => {
    const [result, ...others] = await found(as.liveKey, q);
    deepEqual(others, []);
    return result;
  };
  const object = 'search_result';
  const none = { object, env: null, state: null };
  const active = { object, env: 'live', state: 'active' };
  deepEqual(await one('integration'), {
    ...active,
    type: 'api_key',
    id: key.id,
    title: 'Partner integration 381',
    subtitle: key.display_prefix,
    href: `/v1/keys/${key.id}`,
  });
  deepEqual(await one('globex'), {
    ...none,
    type: 'tenant',
    id: tenant.id,
    title: 'Globex Corporation',
    subtitle: 'cust_1042',
    href: `/v1/tenants/${tenant.id}`,
  });
  deepEqual(await one('our bil'), {
    ...none,
    type: 'project',
    id: project.id,
    title: 'Harbour billing',
    subtitle: 'harbour-2',
    href: `/v1/projects/${project.id}`,
  });
  deepEqual(await one('nightly'), {
    ...active,
    type: 'secret_key',
    id: secret.id,
    title: 'Nightly deploy',
    subtitle: secret.display_prefix,
    href: `/v1/secret_keys/${secret.id}`,
  });
  deepEqual(await one(member.email), {
    ...none,
    type: 'member',
    id: member.userId,
    title: member.email,
    subtitle: null,
    href: `/v1/members/${member.userId}`,
  });
  deepEqual(await one('edge-fra'), {
    ...none,
    type: 'node',
    id: 'edge-fra-07',
    title: 'edge-fra-07',
    subtitle: 'Harbour billing',
    state: 'behind',
    href: `/v1/policy/nodes?project_id=${project.id}`,
  });
});

test('exact matches come first, then matches at the start of a field, then all others, newest first within each group', async (t) => {
  const { as, given } = await harness(t);
  const inside = await given.tenant({ external_id: 'a-1', name: 'The orchid' });
  const whole = await given.tenant({ external_id: 'orchid' });
  const start = await given.project({ name: 'Orchid API', slug: 'flowers' });
  const key = await given.key({ name: 'orchids' });
  const second = await given.tenant({ external_id: 'a-2', name: 'Two orchids' });
  const order = [whole.id, key.id, start.id, second.id, inside.id];
  deepEqual(await idsOf(as.liveKey, 'ORCHID'), order);
});

test('a search returns at most the 10 best matches of each type', async (t) => {
  const { as, given } = await harness(t);
  const tenants: string[] = [];
  for (let n = 10; n < 22; n += 1) {
    tenants.unshift((await given.tenant({ external_id: `x-bulk-${n}` })).id);
  }
  const best = await given.tenant({ external_id: 'bulk' });
  const place = { project_id: (await given.project()).id, tenant_id: best.id };
  for (let n = 10; n < 22; n += 1) await given.key({ ...place, name: `my bulk ${n}` });
  const results = await found(as.liveKey, 'bulk');
  const ofType = (type: string) => results.filter((one) => one.type === type);
  deepEqual(
    ofType('tenant').map(({ id }) => id),
    [best.id, ...tenants.slice(0, 9)],
  );
  deepEqual(
    ofType('api_key').map(({ title }) => title),
    Array.from({ length: 10 }, (_, n) => `my bulk ${21 - n}`),
  );
  equal(results.length, 20);
});

test('a search can be limited to certain types and to one environment', async (t) => {
  const { as, tenant, project, key, testKey } = await ground(t);
  await as.liveKey('PATCH /v1/tenants/{id}', { id: tenant.id, name: 'Partner' });
  await as.liveKey('PATCH /v1/projects/{id}', { id: project.id, name: 'Partner' });
  const ids = async (more: object) => (await idsOf(as.liveKey, 'partner', more)).toSorted();
  const sorted = (...things: { id: string }[]) => things.map(({ id }) => id).toSorted();
  deepEqual(await ids({}), sorted(tenant, project, key, testKey));
  deepEqual(await ids({ env: 'live' }), sorted(tenant, project, key));
  deepEqual(await ids({ env: 'test' }), sorted(tenant, project, testKey));
  deepEqual(await ids({ types: 'api_key' }), sorted(key, testKey));
  deepEqual(await ids({ types: 'project,api_key', env: 'live' }), sorted(project, key));
  for (const types of ['', 'keys', 'api_key,', 'api_key,event']) {
    await refused(as.liveKey(line, { q: 'partner', types }), 400, 'invalid_request');
  }
});

test('a search does not find deleted objects or another workspace’s objects', async (t) => {
  const { as, tenant, project, member, people } = await ground(t);
  const other = await harness(t);
  for (const q of ['globex', 'integration', 'our bil', 'nightly', member.email, 'edge-fra']) {
    deepEqual(await found(other.as.liveKey, q), [], q);
  }
  await as.liveKey('DELETE /v1/projects/{id}', { id: project.id });
  await as.liveKey('DELETE /v1/tenants/{id}', { id: tenant.id });
  const { call } = await people.owner();
  await call('DELETE /v1/members/{userId}', { userId: member.userId });
  for (const q of ['globex', 'cust_10', tenant.id, project.id, 'our bil', 'edge-fra']) {
    deepEqual(await found(as.liveKey, q), [], q);
  }
  deepEqual(await found(as.liveKey, member.email), []);
  const [revoked] = await found(as.liveKey, 'integration');
  equal(revoked?.state, 'revoked');
});

test('a member can find projects, tenants, API keys and secret keys', async (t) => {
  const { member, project, tenant, key, secret } = await ground(t);
  for (const [q, { id }] of Object.entries({ our: project, globex: tenant, tegr: key })) {
    deepEqual(await idsOf(member.call, q), [id], q);
  }
  deepEqual(await idsOf(member.call, 'nightly'), [secret.id]);
});

test('a test key finds only test objects, and objects without an environment', async (t) => {
  const app = await ground(t);
  const { as, project, tenant, testKey, key, member } = app;
  await as.testKey('GET /v1/policy/snapshot', { project_id: project.id, node: 'test-node' });
  const mine = await as.liveKey('POST /v1/secret_keys', { env: 'test', name: 'Nightly test' });
  deepEqual(await idsOf(as.testKey, 'partner'), [testKey.id]);
  for (const q of [key.id, key.display_prefix, 'integration', 'edge-fra']) {
    deepEqual(await idsOf(as.testKey, q), [], q);
  }
  deepEqual(await idsOf(as.testKey, 'nightly'), [mine.id]);
  deepEqual(await idsOf(as.testKey, 'globex'), [tenant.id]);
  deepEqual(await idsOf(as.testKey, 'harbour'), [project.id]);
  deepEqual(await idsOf(as.testKey, member.email), [member.userId]);
  deepEqual(await idsOf(as.testKey, 'test-no'), ['test-node']);
  await refused(as.testKey(line, { q: 'partner', env: 'live' }), 403, 'forbidden');
});

test('a key limited to certain projects finds nothing from other projects', async (t) => {
  const app = await ground(t);
  const { as, given, tenant, project, key, member } = app;
  const other = await given.project({ name: 'Harbour cranes' });
  await as.liveKey('GET /v1/policy/snapshot', { project_id: other.id, node: 'edge-fra-08' });
  const theirs = await given.key({ project_id: other.id, name: 'Partner integration 9' });
  const inside = await limitedKey(app, { project_ids: [project.id] });
  deepEqual(await idsOf(inside, 'integration'), [key.id]);
  deepEqual(await idsOf(inside, 'harbour'), [project.id]);
  deepEqual(await idsOf(inside, 'edge-fra'), ['edge-fra-07']);
  for (const q of [theirs.id, theirs.display_prefix, other.id, other.slug, 'nightly']) {
    deepEqual(await idsOf(inside, q), [], q);
  }
  // As in the list endpoints, tenants are shared by all projects, and members are hidden.
  deepEqual(await idsOf(inside, 'globex'), [tenant.id]);
  deepEqual(await idsOf(inside, member.email), []);
  const both = await limitedKey(app, { project_ids: [project.id, other.id] });
  deepEqual(await idsOf(both, 'integration'), [theirs.id, key.id]);
});

test('a key finds only objects of the types it may list', async (t) => {
  const app = await ground(t);
  const { member } = app;
  const texts: Record<string, [string, string]> = {
    'keys:read': ['api_key', 'integration'],
    'tenants:read': ['tenant', 'globex'],
    'projects:read': ['project', 'our bil'],
    'secret_keys:read': ['secret_key', 'nightly'],
    'members:read': ['member', member.email],
    'policy:read': ['node', 'edge-fra'],
  };
  deepEqual(
    Object.values(texts)
      .map(([type]) => type)
      .toSorted(),
    [...searchTypes].toSorted(),
  );
  for (const permission of Object.keys(texts)) {
    const call = await limitedKey(app, { permissions: ['keys:read', permission] });
    const may = ['keys:read', permission];
    for (const [needed, [type, q]] of Object.entries(texts)) {
      const types = (await found(call, q)).map((one) => one.type);
      deepEqual(types, may.includes(needed) ? [type] : [], `${q} with ${permission}`);
      if (!may.includes(needed)) deepEqual(await found(call, q, { types: type }), []);
    }
  }
  const nodes = await limitedKey(app, { permissions: ['keys:read', 'policy:read'] });
  equal((await found(nodes, 'edge-fra'))[0]?.subtitle, null, "the project's name is hidden");
  const lacking = await limitedKey(app, { permissions: ['tenants:read'] });
  await refused(lacking(line, { q: 'globex' }), 403, 'forbidden');
});

test('% and _ in a search text are not wildcards', async (t) => {
  const { as, given } = await harness(t);
  const percent = await given.tenant({ external_id: '100%_sure', name: 'Sure' });
  await given.tenant({ external_id: '100 not sure' });
  deepEqual(await idsOf(as.liveKey, '0%_'), [percent.id]);
  deepEqual(await idsOf(as.liveKey, '%_s'), [percent.id]);
  for (const q of ['%%%', '___', '1%e', '\\%_', "'; --"]) deepEqual(await idsOf(as.liveKey, q), []);
});

test('a search text must have 3 to 100 characters, not counting surrounding spaces', async (t) => {
  const { as, given } = await harness(t);
  const tenant = await given.tenant({ external_id: 'x'.repeat(120) });
  const ä = await given.tenant({ external_id: 'ääääá' });
  deepEqual(await idsOf(as.liveKey, 'x'.repeat(100)), [tenant.id]);
  deepEqual(await idsOf(as.liveKey, ` \t${'x'.repeat(100)} \n`), [tenant.id]);
  deepEqual(await idsOf(as.liveKey, '  ääá '), [ä.id]);
  for (const q of ['', 'xx', '  xx  ', ' '.repeat(9), 'x'.repeat(101), 'xxx\u0000', ['xxx', 'y']]) {
    await refused(as.liveKey(line, { q }), 400, 'invalid_request');
  }
  await refused(as.liveKey(line, {}), 400, 'invalid_request');
});

test('a search text that contains a full credential is rejected, and the error does not repeat the credential', async (t) => {
  const { as, given, tokens, people } = await harness(t);
  const { key } = await given.key();
  const { token } = await people.owner();
  const secrets = [key, tokens.liveKey, token, 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'];
  for (const secret of secrets) {
    for (const q of [secret, `  ${secret}`, `it says ${secret}?`, `Bearer ${secret}`]) {
      const { body } = await refused(as.liveKey(line, { q }), 400, 'invalid_request');
      const text = JSON.stringify(body);
      ok(text.includes('POST /v1/keys/explain'), text);
      ok(!text.includes(secret.slice(-10)), text);
    }
  }
});

test('search texts are never logged, whether accepted or rejected', async (t) => {
  const { testApp, tokens } = await harness(t);
  const out = new PassThrough();
  let logged = '';
  out.on('data', (chunk) => {
    logged += chunk;
  });
  const { app } = appBeside(t, testApp, { log: openLog('trace', out) });
  const headers = { authorization: `Bearer ${tokens.liveKey}` };
  for (const [q, status] of [
    ['marigold', 200],
    ['ma', 400],
    [`marigold ${tokens.liveKey}`, 400],
  ] as const) {
    const url = `/v1/search?${new URLSearchParams({ q })}`;
    equal((await app.http.inject({ url, headers })).statusCode, status);
  }
  equal(logged.split('GET /v1/search').length - 1, 3);
  ok(!/marigold|q=|krsk_live_/.test(logged), logged);
});
