// The optional fields that a node may request: `meta` and the tenant's external ID.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { foldedFrom, poll, readAll } from '@keyrail/testing/feed.ts';
import { type Harness, harness, type Input } from '@keyrail/testing/harness.ts';
import { readDelta } from './feed-delta.ts';
import { readSnapshot } from './feed-snapshot.ts';
import type { ChangeRow, FeedSource } from './rows.ts';

const snapshot = 'GET /v1/policy/snapshot';
const delta = 'GET /v1/policy/delta';

const askedBy =
  (app: Harness) =>
  (input: Input, headers: Record<string, string> = {}) =>
    app.ask(snapshot, input, { authorization: `Bearer ${app.tokens.liveKey}`, ...headers });

test('the `include` parameter adds fields to entries and upserts, and changes nothing else', async (t) => {
  const app = await harness(t);
  const meta = { plan: 'gold', seats: [1, { at: null }] };
  const { external_id } = await app.as.liveKey('POST /v1/tenants', { external_id: 'cus_1' });
  const { data } = await app.as.liveKey('GET /v1/tenants', { external_id });
  const key = await app.given.key({ meta, tenant_id: data[0]?.id });
  const { project_id } = key;
  const start = await readAll(app, { project_id });
  for (const [include, added] of [
    ['meta', { meta }],
    ['external_id', { tenant_external_id: external_id }],
    ['meta,external_id', { meta, tenant_external_id: external_id }],
    ['external_id,meta', { meta, tenant_external_id: external_id }],
  ] as const) {
    const usual = start.keys.get(key.id);
    const held = await readAll(app, { project_id, include });
    deepEqual(held.keys.get(key.id), { ...usual, ...added }, include);
    const { page } = await poll(app, delta, { project_id, include, since: 1 });
    deepEqual(page.changes, [{ change: 'upsert', ...usual, ...added }], include);
  }
  const held = await readAll(app, { project_id, include: 'meta' });
  await app.as.liveKey('PATCH /v1/keys/{id}', { id: key.id, meta: { plan: 'none' } });
  const [changed] = await foldedFrom(app, { project_id, include: 'meta' }, held);
  deepEqual(Reflect.get(changed ?? {}, 'meta'), { plan: 'none' });
  await app.as.liveKey('POST /v1/keys/{id}/revoke', { id: key.id });
  const { page } = await poll(app, delta, { project_id, include: 'meta', since: held.version });
  deepEqual(Object.keys(page.changes[0] ?? {}), [
    'change',
    'key_id',
    'tenant_id',
    'env',
    'lookup_hash',
    'reason',
  ]);
});

test('without `include`, the feed is byte for byte the same as in earlier releases', async (t) => {
  const app = await harness(t);
  const key = await app.given.key({ meta: { plan: 'gold' }, scopes: ['a'] });
  const { project_id } = key;
  const { text, body, headers } = await askedBy(app)({ project_id });
  const [entry] = Array.isArray(body.keys) ? body.keys : [];
  const fields = {
    key_id: key.id,
    tenant_id: key.tenant_id,
    env: 'live',
    lookup_hash: entry.lookup_hash,
    display_prefix: key.display_prefix,
    scopes: ['a'],
    expires_at: null,
    rate_limits: [],
  };
  const expected = {
    object: 'policy_snapshot',
    workspace_id: app.workspaceId,
    project_id,
    env: null,
    version: 2,
    project_deleted: false,
    generated_at: body.generated_at,
    keys: [fields],
    next_cursor: null,
  };
  equal(text, JSON.stringify(expected));
  equal(headers.etag, `W/"snap:${project_id}:all:all:2"`);
  const { text: changes } = await poll(app, delta, { project_id, since: 1 });
  ok(changes.endsWith(`"since":1,"changes":${JSON.stringify([{ change: 'upsert', ...fields }])}}`));
});

test('each value of `include` has its own ETag and its own cursors', async (t) => {
  const app = await harness(t);
  const { project_id } = await app.given.key();
  await app.given.key({ project_id });
  const ask = askedBy(app);
  const tagOf = async (include?: string) =>
    String((await ask({ project_id, ...(include && { include }) })).headers.etag);
  const tags = [await tagOf(), await tagOf('meta'), await tagOf('external_id')];
  tags.push(await tagOf('meta,external_id'));
  equal(new Set(tags).size, 4);
  equal(await tagOf('external_id,meta'), tags[3], 'the order of the names does not matter');
  for (const [at, tag] of tags.entries()) {
    const { status } = await ask({ project_id, include: 'meta' }, { 'if-none-match': tag });
    equal(status, at === 1 ? 304 : 200);
  }
  const since = (await readAll(app, { project_id })).version;
  const plain = await poll(app, delta, { project_id, since });
  const full = await poll(app, delta, { project_id, since, include: 'meta' });
  ok(plain.headers.etag !== full.headers.etag);
  const paged = await ask({ project_id, max_keys: 1 });
  const next = { project_id, max_keys: 1, cursor: paged.body.next_cursor };
  equal((await ask(next)).status, 200);
  equal((await ask({ ...next, include: 'meta' })).status, 400);
});

test('an unknown or empty field name in `include` is rejected', async (t) => {
  const app = await harness(t);
  const { project_id } = await app.given.key();
  for (const include of ['', ',', 'meta,', 'name', 'meta,name', 'meta external_id', 'META']) {
    equal((await askedBy(app)({ project_id, include })).status, 400, include);
  }
  equal((await askedBy(app)({ project_id, include: 'meta,meta' })).status, 200);
});

test('held polls with different values of `include` do not share a response', async (t) => {
  const app = await harness(t);
  const { project_id } = await app.given.key();
  const { version: since } = await readAll(app, { project_id });
  const held = [{}, { include: 'meta' }, { include: 'external_id' }].map((more) =>
    poll(app, delta, { project_id, since, wait_ms: 30_000, ...more }),
  );
  await app.given.key({ project_id, meta: { a: 1 } });
  const answers = await Promise.all(held);
  deepEqual(
    answers.map(({ page }) => page.changes.map((one) => Object.keys(one).slice(9))),
    [[[]], [['meta']], [['tenant_external_id']]],
  );
});

const MIB = 1024 * 1024;
const KEYS = 40;
const version = KEYS + 1;
const rows: ChangeRow[] = Array.from({ length: KEYS }, (_, n) => ({
  id: `key ${n}`,
  tenantId: 't',
  env: 'live',
  lookupHash: '',
  displayPrefix: '',
  scopes: [],
  expiresAt: null,
  rateLimits: null,
  isImported: false,
  shelf: 0,
  createdAt: new Date(0),
  metaBytes: MIB,
  version: n + 2,
  isRevoked: false,
  isDisabled: false,
  isRetired: false,
  isUnsupported: false,
}));

test('large `meta` values make a page shorter, and only those that fit on the page are read', async () => {
  const wanted: number[] = [];
  const following = (after: { id: string } | null, limit: number) => {
    const from = after ? rows.findIndex(({ id }) => id === after.id) + 1 : 0;
    return rows.slice(from, from + limit);
  };
  const head = { workspaceId: '', version, floor: 1, isDeleted: false, defaultRateLimits: [] };
  const feed: FeedSource = {
    now: new Date(0),
    loadHead: async () => head,
    listEntries: async (_, { after, limit }) => following(after, limit),
    listChanges: async (_, { after, limit }) => following(after, limit),
    listDetails: async (_, ids) => {
      wanted.push(ids.length);
      return ids.map((id) => ({ id, meta: { id } }));
    },
  };
  const filter = {
    projectId: '',
    env: null,
    tenantIds: null,
    include: ['meta' as const],
    understands: [],
  };
  const seen: unknown[] = [];
  let after: (ChangeRow & { version: number }) | null = null;
  do {
    const asked = { filter, pageKeysMax: 1000, keysMax: 1000, after };
    const page = await readSnapshot(feed, asked);
    seen.push(...page.entries.map(({ meta }) => meta));
    const last = page.next?.id;
    after = rows.find(({ id }) => id === last) ?? null;
  } while (after);
  deepEqual(
    seen,
    rows.map(({ id }) => ({ id })),
  );
  ok(Math.max(...wanted) <= 8, `${wanted}`);
  deepEqual(await readDelta(feed, { filter, since: 1, changesMax: 1000 }), { kind: 'snapshot' });
});
