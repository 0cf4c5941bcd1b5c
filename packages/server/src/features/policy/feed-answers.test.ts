// Feed responses for different filters: ETags, sizes, compression, and when a snapshot is sent
// instead of a delta.
import { deepEqual, equal, match, notEqual, ok } from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { type Fed, fold, foldedFrom, poll, readAll } from '@keyrail/testing/feed.ts';
import { ask, type Harness, harness, type Input } from '@keyrail/testing/harness.ts';
import { appBeside } from '@keyrail/testing/second-app.ts';

const snapshot = 'GET /v1/policy/snapshot';
const delta = 'GET /v1/policy/delta';

const idsOf = (keys: unknown) => new Set((keys as Fed[]).map(({ key_id }) => key_id));

/** Creates a project with a live and a test key for each of three tenants. */
async function sixKeys({ given }: Harness) {
  const project = await given.project();
  const tenants = [await given.tenant(), await given.tenant(), await given.tenant()];
  const keys = [];
  for (const tenant of tenants) {
    for (const env of ['live', 'test']) {
      keys.push(await given.key({ project_id: project.id, tenant_id: tenant.id, env }));
    }
  }
  return { project_id: project.id, tenants: tenants.map(({ id }) => id), keys };
}

test('a node gets only the keys for its environment and tenants', async (t) => {
  const app = await harness(t);
  const { project_id, tenants, keys } = await sixKeys(app);
  const [one, two] = tenants;
  const stranger = (await app.given.tenant()).id;
  for (const env of [undefined, 'live', 'test']) {
    for (const tenant_id of [undefined, [one], [two, one], [stranger], [one, stranger]]) {
      const filter = { project_id, ...(env && { env }), ...(tenant_id && { tenant_id }) };
      const matching = keys.filter(
        (key) =>
          (env === undefined || key.env === env) &&
          (tenant_id === undefined || tenant_id.includes(key.tenant_id)),
      );
      const wanted = new Set(matching.map(({ id }) => id));
      const { page } = await poll(app, snapshot, filter);
      deepEqual(idsOf(page.keys), wanted, JSON.stringify(filter));
      const changed = await poll(app, delta, { ...filter, since: 1 });
      deepEqual(idsOf(changed.page.changes), wanted, JSON.stringify(filter));
      equal(changed.page.version, 7);
      const pages = await readAll(app, { ...filter, max_keys: 1 });
      deepEqual(idsOf([...pages.keys.values()]), wanted, `in pages: ${JSON.stringify(filter)}`);
    }
  }
});

test('the ETag depends on the filter, but not on the order of its tenants', async (t) => {
  const app = await harness(t);
  const { project_id, tenants } = await sixKeys(app);
  const digest = createHash('sha256').update(tenants.toSorted().join()).digest('hex');
  const ask = (input: Input, headers = {}) =>
    app.ask(snapshot, input, { authorization: `Bearer ${app.tokens.liveKey}`, ...headers });
  const asked = { project_id, env: 'test', tenant_id: tenants.toReversed() };
  const { headers } = await ask(asked);
  equal(headers.etag, `W/"snap:${project_id}:test:${digest.slice(0, 16)}:7"`);
  const known = { 'if-none-match': `W/"other", ${headers.etag}` };
  equal((await ask({ ...asked, tenant_id: tenants }, known)).status, 304);
  const strong = { 'if-none-match': String(headers.etag).slice('W/'.length) };
  equal((await ask(asked, strong)).status, 304, 'ETags are compared weakly');
  equal((await ask({ project_id, env: 'test' }, known)).status, 200);
  equal((await ask({ project_id, tenant_id: tenants }, known)).status, 200);
  await app.given.key({ project_id, env: 'live' });
  equal((await ask(asked, known)).status, 200, 'the project has a new version');
});

test('a tenant filter is rejected if it is empty, malformed or longer than 50 IDs', async (t) => {
  const app = await harness(t);
  const { project_id, tenants } = await sixKeys(app);
  const headers = { authorization: `Bearer ${app.tokens.liveKey}` };
  const many = Array.from({ length: 51 }, () => crypto.randomUUID());
  for (const tenant_id of [[''], [...tenants, 'x'], many]) {
    const answer = await app.ask(snapshot, { project_id, tenant_id }, headers);
    equal(answer.status, 400, answer.text);
  }
  const fifty = await app.ask(snapshot, { project_id, tenant_id: many.slice(1) }, headers);
  deepEqual(fifty.body.keys, []);
});

test('deltas contain effective limits, and nodes get a new snapshot when default limits change', async (t) => {
  const app = await harness(t);
  const { as, given } = app;
  const limit = (n: number) => [
    { id: 'all', limit: n, window_ms: 1000, algorithm: 'fixed', scope: 'key' },
  ];
  const project = await given.project({ default_rate_limits: limit(5) });
  const start = await readAll(app, { project_id: project.id });
  const key = await given.key({ project_id: project.id });
  const asked = { project_id: project.id, since: start.version };
  deepEqual((await poll(app, delta, asked)).page.changes[0]?.rate_limits, limit(5));
  await as.liveKey('PATCH /v1/projects/{id}', { id: project.id, default_rate_limits: limit(9) });
  const { page } = await poll(app, delta, asked);
  equal(page.object, 'policy_snapshot');
  deepEqual(page.keys[0]?.rate_limits, limit(9));
  await as.liveKey('PATCH /v1/keys/{id}', { id: key.id, rate_limits: [] });
  const own = await poll(app, delta, { ...asked, since: page.version });
  deepEqual(own.page.changes[0]?.rate_limits, []);
});

test('a node gets a snapshot if its delta would have more changes than fit on a page', async (t) => {
  const app = await harness(t);
  const { project_id, tenants } = await sixKeys(app);
  const asked = { project_id, since: 1 };
  equal((await poll(app, delta, { ...asked, max_keys: 6 })).page.object, 'policy_delta');
  const { page } = await poll(app, delta, { ...asked, max_keys: 5 });
  equal(page.object, 'policy_snapshot');
  equal(page.keys.length, 5);
  ok(page.next_cursor);
  const rest = await poll(app, snapshot, { project_id, max_keys: 5, cursor: page.next_cursor });
  deepEqual([rest.page.keys.length, rest.page.version], [1, page.version]);

  const small = appBeside(t, app.testApp, { policyPageKeysMax: 5 });
  const headers = { authorization: `Bearer ${app.tokens.liveKey}` };
  const refused = await ask(small, delta, { input: asked, headers });
  equal(refused.status, 413);
  match(refused.text, /max_keys.*tenant_id/);
  const narrowed = { ...asked, tenant_id: tenants.slice(0, 2) };
  const answered = await ask(small, delta, { input: narrowed, headers });
  equal((answered.body.changes as Fed[]).length, 4);
});

test('a cursor that was never issued, or is from a different feed, is rejected', async (t) => {
  const app = await harness(t);
  const { project_id, tenants } = await sixKeys(app);
  const other = await sixKeys(app);
  const headers = { authorization: `Bearer ${app.tokens.liveKey}` };
  const { page } = await poll(app, snapshot, { project_id, max_keys: 1 });
  const cursor = page.next_cursor;
  for (const input of [
    { project_id, cursor: `${cursor}x` },
    { project_id, cursor: 'x' },
    { project_id: other.project_id, cursor },
    { project_id, cursor, env: 'live' },
    { project_id, cursor, tenant_id: tenants },
  ]) {
    const answer = await app.ask(snapshot, { ...input, max_keys: 1 }, headers);
    equal(answer.status, 400, JSON.stringify(input));
  }
});

test('responses are compressed if the client supports it, with Brotli if possible', async (t) => {
  const app = await harness(t);
  const { project_id } = await sixKeys(app);
  const url = `/v1/policy/snapshot?project_id=${project_id}`;
  const fetched = async (encoding: string) => {
    const headers = {
      authorization: `Bearer ${app.tokens.liveKey}`,
      'accept-encoding': encoding,
    };
    const { rawPayload, headers: answered } = await app.testApp.app.http.inject({ url, headers });
    equal(answered.vary, 'accept-encoding');
    return { bytes: rawPayload, encoding: answered['content-encoding'] };
  };
  const plain = await fetched('identity');
  const text = (bytes: Buffer) => bytes.toString().replace(/"generated_at":"[^"]+"/, '');
  equal(plain.encoding, undefined);
  const gzip = await fetched('gzip, deflate');
  equal(gzip.encoding, 'gzip');
  equal(text(gunzipSync(gzip.bytes)), text(plain.bytes));
  const brotli = await fetched('gzip, deflate, br');
  equal(brotli.encoding, 'br');
  equal(text(brotliDecompressSync(brotli.bytes)), text(plain.bytes));
  equal((await fetched('br;q=0, gzip')).encoding, 'gzip');
  ok(gzip.bytes.length < plain.bytes.length / 2);
});

test('a delta contains every key in a change, even if reading them takes several statements', async (t) => {
  const app = await harness(t);
  const { id: project_id } = await app.given.project();
  const { id: tenant_id } = await app.given.tenant();
  const stays = await app.given.key({ project_id });
  for (let made = 0; made < 1020; made += 60) {
    const batch = Array.from({ length: 60 }, (_, n) =>
      app.given.key({ project_id, tenant_id, env: n % 2 ? 'live' : 'test' }),
    );
    await Promise.all(batch);
  }
  const start = await readAll(app, { project_id });
  equal(start.keys.size, 1021);
  const pages = await readAll(app, { project_id, max_keys: 700 });
  deepEqual(fold(pages), fold(start));
  const all = await poll(app, delta, { project_id, since: 1 });
  equal(idsOf(all.page.changes).size, 1021);
  await app.as.liveKey('DELETE /v1/tenants/{id}', { id: tenant_id });
  const { page } = await poll(app, delta, { project_id, since: start.version });
  notEqual(page.object, 'policy_snapshot');
  equal(idsOf(page.changes).size, 1020);
  const left = await foldedFrom(app, { project_id }, start);
  deepEqual(
    left.map(({ key_id }) => key_id),
    [stays.id],
  );
});
