// Reading and changing a workspace.
import { deepEqual, equal, notEqual, ok } from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type Harness, harness, type Input, messageOf, refused } from '@keyrail/testing/harness.ts';

const read = 'GET /v1/workspace';
const change = 'PATCH /v1/workspace';

const pathsIn = (answer: { body: Record<string, unknown> }): string[] => {
  const { error } = answer.body as { error: { details?: { path: string }[] } };
  return (error.details ?? []).map(({ path }) => path);
};

const rowsOf = async ({ as }: Pick<Harness, 'as'>) => (await as.liveKey('GET /v1/audit_logs')).data;

test('a change is visible to the next read and sets `updated_at`', async (t) => {
  const { as, clock } = await harness(t);
  const before = await as.liveKey(read);
  clock.shift(5000);
  const changed = await as.liveKey(change, { name: 'Renamed', billing_email: 'a@b.example' });
  equal(changed.name, 'Renamed');
  equal(changed.billing_email, 'a@b.example');
  equal(changed.slug, before.slug);
  equal(changed.created_at, before.created_at);
  ok(changed.updated_at > before.updated_at);
  deepEqual(await as.liveKey(read), changed);
});

/** Fills in all the workspace's fields. Also returns the latest `seq` in its audit log. */
async function filled(t: TestContext): Promise<Harness & { seq: number }> {
  const app = await harness(t);
  await app.as.liveKey(change, {
    name: 'Acme',
    billing_email: 'a@b.example',
    embed_origins: ['https://a.example', 'https://b.example'],
  });
  const { head_seq: seq } = await app.as.liveKey('GET /v1/audit_logs/chain');
  return { ...app, seq };
}

const withoutEffect: Record<string, Input> = {
  'no fields': {},
  'the same name': { name: 'Acme' },
  'the same billing email': { billing_email: 'a@b.example' },
  'the same origins': { embed_origins: ['https://a.example', 'https://b.example'] },
  'the same name and billing email': { name: 'Acme', billing_email: 'a@b.example' },
};

for (const [what, input] of Object.entries(withoutEffect)) {
  test(`a patch with ${what} changes nothing and writes no audit entry`, async (t) => {
    const { as, clock, seq } = await filled(t);
    const before = await as.liveKey(read);
    clock.shift(5000);
    deepEqual(await as.liveKey(change, input), before);
    equal((await as.liveKey('GET /v1/audit_logs/chain')).head_seq, seq);
  });
}

const withEffect: [Input, string[]][] = [
  [{ name: 'New' }, ['name']],
  [{ name: 'New', billing_email: 'a@b.example' }, ['name']],
  [{ billing_email: 'A@b.example' }, ['billing_email']],
  [{ billing_email: null }, ['billing_email']],
  [{ embed_origins: [] }, ['embed_origins']],
  [{ embed_origins: ['https://b.example', 'https://a.example'] }, ['embed_origins']],
  [
    { name: 'New', billing_email: 'c@d.example', embed_origins: ['http://localhost:3000'] },
    ['name', 'billing_email', 'embed_origins'],
  ],
];

for (const [input, names] of withEffect) {
  test(`the audit entry for the patch ${JSON.stringify(input)} lists ${names}, without any email address`, async (t) => {
    const app = await filled(t);
    const changed = await app.as.liveKey(change, input);
    for (const [name, value] of Object.entries(input)) deepEqual(Reflect.get(changed, name), value);
    const row = (await rowsOf(app)).at(-1);
    equal(row?.action, 'workspace.updated');
    equal(row?.target_id, app.workspaceId);
    equal(row?.actor_type, 'secret_key');
    const { changes, ...payload } = row?.payload ?? {};
    deepEqual(payload, { changed: names });
    deepEqual(Object.keys(Object(changes)).toSorted(), names.toSorted());
    equal(
      JSON.stringify(await rowsOf(app)).includes('@'),
      false,
      'the audit log contains an address',
    );
  });
}

const refusedChanges: [string, Input, string[]][] = [
  ['an origin with a path', { embed_origins: ['https://a.example/'] }, ['embed_origins.0']],
  ['an origin without a scheme', { embed_origins: ['a.example'] }, ['embed_origins.0']],
  ['a wildcard', { embed_origins: ['https://a.example', '*'] }, ['embed_origins.1']],
  ['a wildcard host', { embed_origins: ['https://*.a.example'] }, ['embed_origins.0']],
  ['the origin null', { embed_origins: ['null'] }, ['embed_origins.0']],
  [
    'a repeated origin',
    { embed_origins: ['https://a.example', 'https://a.example'] },
    ['embed_origins'],
  ],
  ['origins that are null', { embed_origins: null }, ['embed_origins']],
  ['a name that is null', { name: null }, ['name']],
  ['an empty name', { name: '' }, ['name']],
  ['a slug', { slug: 'another' }, ['slug']],
  ['an ID', { id: '01890000-0000-7000-8000-000000000000' }, ['id']],
  ['the creation date', { created_at: '2020-01-01T00:00:00.000Z' }, ['created_at']],
  ['21 origins', { embed_origins: manyOrigins(21) }, ['embed_origins']],
];

function manyOrigins(count: number): string[] {
  return Array.from({ length: count }, (_, n) => `https://h${n}.example`);
}

for (const [what, input, paths] of refusedChanges) {
  test(`a patch with ${what} is rejected and changes nothing`, async (t) => {
    const { as, seq } = await filled(t);
    const before = await as.liveKey(read);
    const answer = await refused(as.liveKey(change, input), 400, 'invalid_request');
    deepEqual(pathsIn(answer), paths);
    deepEqual(await as.liveKey(read), before);
    equal((await as.liveKey('GET /v1/audit_logs/chain')).head_seq, seq);
  });
}

test('twenty origins are accepted', async (t) => {
  const { as } = await harness(t);
  const embed_origins = manyOrigins(20);
  deepEqual((await as.liveKey(change, { embed_origins })).embed_origins, embed_origins);
});

test('a test key can read the workspace but not change it', async (t) => {
  const { as } = await harness(t);
  const before = await as.testKey(read);
  deepEqual(before, await as.liveKey(read));
  for (const input of [{ name: 'x' }, {}, { name: before.name }]) {
    const answer = await refused(as.testKey(change, input), 403, 'forbidden');
    equal(messageOf(answer), 'A test secret key cannot manage live resources.');
  }
  deepEqual(await as.liveKey(read), before);
});

test('a secret key can read and change only its own workspace', async (t) => {
  const mine = await harness(t);
  const theirs = await harness(t);
  notEqual((await mine.as.liveKey(read)).id, (await theirs.as.liveKey(read)).id);
  await theirs.as.liveKey(change, { name: 'Theirs' });
  notEqual((await mine.as.liveKey(read)).name, 'Theirs');
});
