// Every field of projects, tenants and keys at its limits and just beyond them, over HTTP. A valid
// value is stored and returned as sent; an invalid value is rejected with its path.
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import type { AnyLine } from '@keyrail/protocol/endpoints/all.ts';
import { type Harness, harness, type Input } from '@keyrail/testing/harness.ts';

type Field = { takes: unknown[]; refuses: unknown[]; at?: string };
type Target = { line: AnyLine; base(): Input };

const chars = (count: number, char = 'a') => char.repeat(count);
const many = <T>(count: number, make: (n: number) => T) =>
  Array.from({ length: count }, (_, n) => make(n));
const nested = (levels: number): unknown => (levels === 0 ? 1 : { a: nested(levels - 1) });

/** Text with NUL or with half of a surrogate pair, which PostgreSQL can't store. */
const unstorable = ['a\u0000b', 'a\ud800', '\udc00a'];
const notText = [1, true, [], {}, ...unstorable];

const Name: Field = {
  takes: ['a', chars(200), chars(200, '🔑'), ' ', '\n', 'é', '<script>', "'; drop table"],
  refuses: ['', chars(201), chars(201, '🔑'), ...notText],
};
const ExternalId: Field = { takes: ['a', chars(200, 'ß')], refuses: ['', chars(201), ...notText] };
const Slug: Field = {
  takes: ['abc', 'a-c', '0-0', 'a--b', chars(63)],
  refuses: ['', 'ab', chars(64), '-ab', 'ab-', 'aBc', 'a_b', 'a b', 'abc\n', 'äbc', ...notText],
};
const Meta: Field = {
  takes: [
    {},
    { a: null, b: [1, 2.5, -0.1, 'x', true, { c: [] }], '': 0, 'a.b': 1, constructor: 1 },
    nested(63),
    { big: chars(100_000) },
  ],
  refuses: [[], 'a', 1, true, { a: 'x\u0000' }, { 'k\u0000': 1 }, { a: ['\ud800'] }],
};
const Scopes: Field = {
  takes: [[], ['a'], many(64, (n) => `s${n}`), [chars(200)], ['a', 'a']],
  refuses: [many(65, (n) => `s${n}`), 'a', {}, 1],
};
const Scope: Field = {
  at: 'scopes.1',
  takes: [],
  refuses: ['', chars(201), 1, null, 'a\u0000'].map((scope) => ['a', scope]),
};

const rule = { id: 'a', limit: 1, window_ms: 1000, algorithm: 'sliding', scope: 'key' };
const rules = (...changes: Input[]) =>
  changes.map((change, n) => ({ ...rule, id: `r${n}`, ...change }));
const RateLimits: Field = {
  takes: [
    [],
    many(8, (n) => ({ ...rule, id: `r${n}` })),
    rules({ id: 'a' }, { id: chars(64) }, { id: '0._-' }),
    rules({ limit: 1 }, { limit: 1_000_000_000 }),
    rules({ window_ms: 1000 }, { window_ms: 2_678_400_000 }),
    rules({ algorithm: 'sliding', scope: 'key' }, { algorithm: 'fixed', scope: 'tenant' }),
  ],
  refuses: [
    many(9, (n) => ({ ...rule, id: `r${n}` })),
    rules({ id: 'a' }, { id: 'a' }),
    {},
    'a',
    1,
  ],
};
const inRule = (name: string, ...refuses: unknown[]): Field => ({
  at: name,
  takes: [],
  refuses: refuses.map((value) => [{ ...rule, [name]: value }]),
});
const ruleFields: Field[] = [
  inRule('id', '', chars(65), 'A', '.a', '-a', 'a b', 1, null),
  inRule('limit', 0, 1_000_000_001, 1.5, '1', -1, null),
  inRule('window_ms', 999, 2_678_400_001, 1000.5, '1000', null),
  inRule('algorithm', 'gcra', 'Fixed', null),
  inRule('scope', 'project', '', null),
  inRule('burst', 1),
];
const Instant: Field = {
  takes: ['2024-02-29T00:00:00Z', '1970-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z'],
  refuses: [
    '2023-02-29T00:00:00Z',
    '2024-01-01',
    '2024-01-01T00:00:00',
    '2024-01-01T24:00:00Z',
    '',
    '2024-13-01T00:00:00Z',
    'Mon, 01 Jan 2024 00:00:00 GMT',
    '10000-01-01T00:00:00Z',
    'now',
    0,
    1_700_000_000,
    true,
    [],
    {},
  ],
};
const Env: Field = { takes: ['live', 'test'], refuses: ['LIVE', '', 'prod', ['live'], 1, null] };
const Uuid: Field = { takes: [], refuses: ['', 'a', `${chars(36, '0')}`, 1, [], {}, null] };
const nullable = (field: Field): Field => ({ ...field, takes: [null, ...field.takes] });
const required = (field: Field): Field => ({ ...field, refuses: [null, ...field.refuses] });

/**
 * Sends one request for each value of a field, together with the endpoint's other required fields.
 */
async function hold(
  { ask, tokens }: Harness,
  line: AnyLine,
  { name, field, base }: { name: string; field: Field; base(): Input },
): Promise<void> {
  const headers = { authorization: `Bearer ${tokens.liveKey}` };
  const says = (value: unknown) => `${line} ${name} = ${JSON.stringify(value).slice(0, 80)}`;
  for (const value of field.takes) {
    const { status, body, text } = await ask(line, { ...base(), [name]: value }, headers);
    equal(Math.trunc(status / 100), 2, `${says(value)}: ${text}`);
    const kept = typeof value === 'string' && name === 'expires_at' ? isoOf(value) : value;
    if (name in body) deepEqual(body[name], kept, says(value));
  }
  for (const value of field.refuses) {
    const { status, body } = await ask(line, { ...base(), [name]: value }, headers);
    equal(status, 400, says(value));
    const { code, message, details } = Object(body.error);
    deepEqual([code, message], ['invalid_request', 'The request body is not valid.']);
    const path: string = details[0].path;
    const wanted = field.at ?? name;
    equal(
      path.split('.').includes(wanted) || path.startsWith(wanted),
      true,
      `${says(value)}: ${path}`,
    );
  }
}

const isoOf = (text: string) => new Date(text).toISOString();

let made = 0;
const fresh = (stem: string) => {
  made += 1;
  return `${stem}-${made}`;
};

test('project fields are accepted up to their limits and rejected beyond them', async (t) => {
  const app = await harness(t);
  const { id } = await app.given.project();
  const create: Target = {
    line: 'POST /v1/projects',
    base: () => ({ name: 'Orders', slug: fresh('field') }),
  };
  const patch: Target = { line: 'PATCH /v1/projects/{id}', base: () => ({ id }) };
  const name = 'default_rate_limits';
  await hold(app, create.line, { name: 'slug', field: required(Slug), base: create.base });
  for (const { line, base } of [create, patch]) {
    await hold(app, line, { name: 'name', field: required(Name), base });
    for (const field of [required(RateLimits), ...ruleFields]) {
      await hold(app, line, { name, field, base });
    }
  }
});

test('tenant fields are accepted up to their limits and rejected beyond them', async (t) => {
  const app = await harness(t);
  const { id } = await app.given.tenant();
  const line = 'POST /v1/tenants';
  const base = () => ({ external_id: fresh('field') });
  await hold(app, line, { name: 'external_id', field: required(ExternalId), base });
  await hold(app, line, { name: 'name', field: required(Name), base });
  await hold(app, line, { name: 'meta', field: required(Meta), base });
  const patch = 'PATCH /v1/tenants/{id}';
  await hold(app, patch, { name: 'name', field: nullable(Name), base: () => ({ id }) });
  await hold(app, patch, { name: 'meta', field: required(Meta), base: () => ({ id }) });
});

test('key fields are accepted up to their limits and rejected beyond them', async (t) => {
  const app = await harness(t);
  const { id, project_id, tenant_id } = await app.given.key();
  const create: Target = {
    line: 'POST /v1/keys',
    base: () => ({ project_id, tenant_id, env: 'live' }),
  };
  const patch: Target = { line: 'PATCH /v1/keys/{id}', base: () => ({ id }) };
  for (const { line, base } of [create, patch]) {
    const nullness = line === create.line ? required : nullable;
    const fields: [string, Field][] = [
      ['name', nullness(Name)],
      ['scopes', required(Scopes)],
      ['scopes', Scope],
      ['meta', required(Meta)],
      ['rate_limits', nullness(RateLimits)],
      ...ruleFields.map((field): [string, Field] => ['rate_limits', field]),
      ['expires_at', nullness(Instant)],
    ];
    for (const [name, field] of fields) await hold(app, line, { name, field, base });
  }
  const { line, base } = create;
  await hold(app, line, { name: 'env', field: Env, base });
  await hold(app, line, { name: 'project_id', field: Uuid, base });
  await hold(app, line, { name: 'tenant_id', field: Uuid, base });
});

test('the fields for rotating and revoking a key are accepted up to their limits and rejected beyond them', async (t) => {
  const app = await harness(t);
  const keys = await Promise.all(many(30, () => app.given.key()));
  const base = () => ({ id: keys.pop()?.id });
  const overlap = { takes: [0, 0.001, 168], refuses: [-0.001, 168.001, '24', null, [], true] };
  await hold(app, 'POST /v1/keys/{id}/rotate', { name: 'overlap_hours', field: overlap, base });
  const reason = { takes: ['a', chars(500, 'ß')], refuses: ['', chars(501), null, ...notText] };
  await hold(app, 'POST /v1/keys/{id}/revoke', { name: 'reason', field: reason, base });
});

test('query parameters are accepted up to their limits and rejected beyond them', async (t) => {
  const { ask, given, tokens } = await harness(t);
  const { id } = await given.key();
  const headers = { authorization: `Bearer ${tokens.liveKey}` };
  const numbers = ['', '0', '-1', '1.5', '0x1', '1e1', ' 1', '+1'];
  const cases: [AnyLine, Input, { takes: Input[]; refuses: Input[] }][] = [
    [
      'GET /v1/keys',
      {},
      {
        takes: [{ limit: 1 }, { limit: 200 }, { include_revoked: 'true' }, { env: 'test' }],
        refuses: [
          ...[...numbers, '201'].map((limit) => ({ limit })),
          ...['1', 'TRUE', '', 'yes'].map((include_revoked) => ({ include_revoked })),
          ...['prod', '', ['live', 'test']].map((env) => ({ env })),
          { project_id: 'x' },
          { tenant_id: '' },
          { cursor: '' },
          { name: 'x' },
        ],
      },
    ],
    [
      'GET /v1/projects',
      {},
      { takes: [{ limit: 1000 }], refuses: [{ limit: 1001 }, { slug: 'A' }] },
    ],
    [
      'GET /v1/tenants',
      {},
      { takes: [{ limit: 1000 }], refuses: [{ limit: 1001 }, { external_id: chars(201) }] },
    ],
    [
      'GET /v1/keys/{id}/usage',
      { id },
      {
        takes: [{ days: 1 }, { days: 90 }],
        refuses: [...numbers, '91'].map((days) => ({ days })),
      },
    ],
  ];
  for (const [line, base, { takes, refuses }] of cases) {
    for (const query of takes) {
      equal((await ask(line, { ...base, ...query }, headers)).status, 200, JSON.stringify(query));
    }
    for (const query of refuses) {
      const { status, body } = await ask(line, { ...base, ...query }, headers);
      equal(status, 400, `${line} ${JSON.stringify(query)}`);
      equal(Object(body.error).message, 'The request query is not valid.');
      equal(Object(body.error).details[0].path, Object.keys(query)[0]);
    }
  }
});
