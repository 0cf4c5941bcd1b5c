import { deepEqual, equal, match } from 'node:assert/strict';
import { test } from 'node:test';
import { codeOf, harness, type Input, messageOf, refused } from '@keyrail/testing/harness.ts';
import { BOOTSTRAP_TOKEN } from '@keyrail/testing/test-app.ts';

const found = 'POST /v1/workspaces';
const read = 'GET /v1/workspace';

let slugs = 0;
const newSlug = (): string => {
  slugs += 1;
  return `slug-${process.pid}-${slugs}`;
};

const pathsIn = (answer: { body: Record<string, unknown> }): string[] => {
  const { error } = answer.body as { error: { details?: { path: string }[] } };
  return (error.details ?? []).map(({ path }) => path);
};

test('a workspace created with the bootstrap token has a secret key but no members', async (t) => {
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

test('a workspace’s first secret key has the requested environment', async (t) => {
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

test('a workspace’s audit log starts with its creation', async (t) => {
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

test('slugs are unique, and the error for a slug already in use gives the field’s path', async (t) => {
  const { as } = await harness(t);
  const slug = newSlug();
  await as.bootstrap(found, { name: 'One', slug });
  const answer = await refused(as.bootstrap(found, { name: 'Two', slug }), 409, 'conflict');
  equal(messageOf(answer), 'This slug is already taken.');
  deepEqual(pathsIn(answer), ['slug']);
});

test('of twenty concurrent requests to create a workspace with the same slug, one succeeds and the rest get a 409', async (t) => {
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
  ['a slug of 3 characters', { slug: 'a1b' }, true],
  ['a slug of 63 characters', { slug: `a${'-'.repeat(61)}z` }, true],
  ['a slug of 2 characters', { slug: 'ab' }, false],
  ['a slug of 64 characters', { slug: 'a'.repeat(64) }, false],
  ['a slug with a capital letter', { slug: 'Acme' }, false],
  ['a slug that begins with a hyphen', { slug: '-acme' }, false],
  ['a slug that ends with a hyphen', { slug: 'acme-' }, false],
  ['a slug with an underscore', { slug: 'ac_me' }, false],
  ['a slug with a newline', { slug: 'acme\n' }, false],
  ['a name of 1 character', { name: 'x' }, true],
  ['a name of 200 code points', { name: '😀'.repeat(200) }, true],
  ['a name of 201 code points', { name: '😀'.repeat(201) }, false],
  ['an empty name', { name: '' }, false],
  ['a name that is null', { name: null }, false],
  ['a name with NUL', { name: 'a\u0000' }, false],
  ['an email address', { billing_email: 'a.b+c@sub.example.com' }, true],
  [
    'an email address of 320 characters',
    { billing_email: `a@${'b'.repeat(59)}.${'c.'.repeat(128)}de` },
    true,
  ],
  [
    'an email address of 321 characters',
    { billing_email: `aa@${'b'.repeat(59)}.${'c.'.repeat(128)}de` },
    false,
  ],
  ['an email address without a host', { billing_email: 'a@' }, false],
  ['two email addresses', { billing_email: 'a@b.example,c@d.example' }, false],
  ['an email address that is null', { billing_email: null }, false],
  ['an environment in capitals', { env: 'LIVE' }, false],
  ['an unknown environment', { env: 'staging' }, false],
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
