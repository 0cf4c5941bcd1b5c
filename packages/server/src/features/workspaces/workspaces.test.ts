// The workspace endpoints: create, read and change.
import { deepEqual, equal, match, notEqual, ok } from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import {
  codeOf,
  type Harness,
  harness,
  type Input,
  messageOf,
  refused,
} from '@keyrail/testing/harness.ts';
import { BOOTSTRAP_TOKEN } from '@keyrail/testing/test-app.ts';

const found = 'POST /v1/workspaces';
const read = 'GET /v1/workspace';
const change = 'PATCH /v1/workspace';

let slugs = 0;
const newSlug = (): string => {
  slugs += 1;
  return `slug-${process.pid}-${slugs}`;
};

const pathsIn = (answer: { body: Record<string, unknown> }): string[] => {
  const { error } = answer.body as { error: { details?: { path: string }[] } };
  return (error.details ?? []).map(({ path }) => path);
};

const rowsOf = async ({ as }: Pick<Harness, 'as'>) => (await as.liveKey('GET /v1/audit_logs')).data;

test('the bootstrap token creates a workspace with a secret key and without members', async (t) => {
  const { as } = await harness(t);
  const slug = newSlug();
  const created = await as.bootstrap(found, { name: 'Globex', slug });
  equal(created.membership, null);
  deepEqual(
    { ...created.workspace, id: '', created_at: '' },
    {
      object: 'workspace',
      id: '',
      name: 'Globex',
      slug,
      billing_email: null,
      embed_origins: [],
      created_at: '',
      updated_at: created.workspace.created_at,
    },
  );
  match(created.secret_key.key, /^krsk_live_/);
  equal(created.secret_key.env, 'live');
  equal(created.secret_key.key_shown_once, true);
  deepEqual(await as.token(created.secret_key.key)(read), created.workspace);
});

test('the first secret key of a workspace has the requested environment', async (t) => {
  const { as } = await harness(t);
  for (const env of ['live', 'test'] as const) {
    const created = await as.bootstrap(found, { name: 'Globex', slug: newSlug(), env });
    match(created.secret_key.key, new RegExp(`^krsk_${env}_`));
    equal(created.secret_key.env, env);
    const keys = (await as.token(created.secret_key.key)('GET /v1/secret_keys')).data;
    deepEqual(
      keys.map((key) => key.env),
      [env],
    );
  }
});

test('the audit log of a workspace begins with its creation', async (t) => {
  const { as } = await harness(t);
  const slug = newSlug();
  const { workspace, secret_key: key } = await as.bootstrap(found, {
    name: 'Globex',
    slug,
    billing_email: 'Bills@Globex.example',
  });
  const rows = (await as.token(key.key)('GET /v1/audit_logs')).data;
  deepEqual(
    rows.map(({ seq, action, target_id, target_type, payload }) => ({
      seq,
      action,
      target_id,
      target_type,
      payload,
    })),
    [
      {
        seq: 1,
        action: 'workspace.created',
        target_id: workspace.id,
        target_type: 'workspace',
        payload: { slug },
      },
      {
        seq: 2,
        action: 'secret_key.created',
        target_id: key.id,
        target_type: 'secret_key',
        payload: { env: 'live', display_prefix: key.display_prefix },
      },
    ],
  );
  for (const row of rows) {
    deepEqual([row.actor_type, row.actor_id, row.actor], ['bootstrap', null, null]);
  }
  equal((await as.token(key.key)(read)).billing_email, 'Bills@Globex.example', 'stored as sent');
});

test('a slug is unique, and the error names the field', async (t) => {
  const { as } = await harness(t);
  const slug = newSlug();
  await as.bootstrap(found, { name: 'One', slug });
  const answer = await refused(as.bootstrap(found, { name: 'Two', slug }), 409, 'conflict');
  equal(messageOf(answer), 'This slug is already taken.');
  deepEqual(pathsIn(answer), ['slug']);
});

test('only one of twenty concurrent creations with one slug succeeds, and the rest get a 409', async (t) => {
  const { ask } = await harness(t);
  const slug = newSlug();
  const headers = { authorization: `Bearer ${BOOTSTRAP_TOKEN}` };
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, n) => ask(found, { name: `Founder ${n}`, slug }, headers)),
  );
  equal(answers.filter(({ status }) => status === 201).length, 1);
  for (const answer of answers.filter(({ status }) => status !== 201)) {
    equal(`${answer.status} ${codeOf(answer)} ${pathsIn(answer)}`, '409 conflict slug');
  }
});

const bounds: [string, Input, boolean][] = [
  ['a slug of 3', { slug: 'a1b' }, true],
  ['a slug of 63', { slug: `a${'-'.repeat(61)}z` }, true],
  ['a slug of 2', { slug: 'ab' }, false],
  ['a slug of 64', { slug: 'a'.repeat(64) }, false],
  ['a slug in capitals', { slug: 'Acme' }, false],
  ['a slug that begins with a hyphen', { slug: '-acme' }, false],
  ['a slug that ends with a hyphen', { slug: 'acme-' }, false],
  ['a slug with an underscore', { slug: 'ac_me' }, false],
  ['a slug with a newline', { slug: 'acme\n' }, false],
  ['a name of 1', { name: 'x' }, true],
  ['a name of 200 code points', { name: '😀'.repeat(200) }, true],
  ['a name of 201 code points', { name: '😀'.repeat(201) }, false],
  ['an empty name', { name: '' }, false],
  ['a name that is null', { name: null }, false],
  ['a name with NUL', { name: 'a\u0000' }, false],
  ['an address', { billing_email: 'a.b+c@sub.example.com' }, true],
  ['an address of 320', { billing_email: `a@${'b'.repeat(59)}.${'c.'.repeat(128)}de` }, true],
  ['an address of 321', { billing_email: `aa@${'b'.repeat(59)}.${'c.'.repeat(128)}de` }, false],
  ['an address without a host', { billing_email: 'a@' }, false],
  ['two addresses', { billing_email: 'a@b.example,c@d.example' }, false],
  ['an address that is null', { billing_email: null }, false],
  ['an environment in capitals', { env: 'LIVE' }, false],
  ['another environment', { env: 'staging' }, false],
];

for (const [what, input, isAccepted] of bounds) {
  test(`creating a workspace with ${what} is ${isAccepted ? 'accepted' : 'rejected'}`, async (t) => {
    const { as } = await harness(t);
    const call = as.bootstrap(found, { name: 'Globex', slug: newSlug(), ...input });
    if (isAccepted) {
      await call;
      return;
    }
    const answer = await refused(call, 400, 'invalid_request');
    deepEqual(pathsIn(answer), Object.keys(input));
  });
}

test('a secret key cannot create a workspace', async (t) => {
  const { as } = await harness(t);
  for (const caller of [as.liveKey, as.testKey]) {
    await refused(caller(found, { name: 'Globex', slug: newSlug() }), 403, 'forbidden');
  }
  await refused(as.nobody(found, { name: 'Globex', slug: newSlug() }), 401, 'missing_credential');
});

test('a change is visible to the next read and sets updated_at', async (t) => {
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

/** A workspace with a value in every field, and the head of its audit log. */
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
  nothing: {},
  'the same name': { name: 'Acme' },
  'the same address': { billing_email: 'a@b.example' },
  'the same origins': { embed_origins: ['https://a.example', 'https://b.example'] },
  'the same name and address': { name: 'Acme', billing_email: 'a@b.example' },
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
  test(`the audit entry of ${JSON.stringify(input)} names ${names} and contains no address`, async (t) => {
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
  test(`${what} is rejected and changes nothing`, async (t) => {
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
