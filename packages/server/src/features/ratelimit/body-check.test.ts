// The check by hand and the schema accept the same bodies.
import { deepEqual, equal, notEqual } from 'node:assert/strict';
import { test } from 'node:test';
import { ratelimitEndpoints } from '@keyrail/protocol/endpoints/ratelimit.ts';
import fc from 'fast-check';
import { acceptedBody } from './body-check.ts';

const schema = ratelimitEndpoints['POST /v1/ratelimit/check'].body;
const RUNS = 20_000;

/** The value after a round trip through JSON. */
const wired = (value: unknown): unknown => JSON.parse(JSON.stringify(value) ?? 'null');

const odd = fc.oneof(
  fc.constantFrom<unknown>(null, true, '', 'x', 0, -0, -1, 1.5, 1e21, '1', [], {}, [[]], 'live\n'),
  fc.string(),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.jsonValue({ maxDepth: 2 }),
);

const uuid = fc.oneof(
  fc.uuid(),
  fc.uuid().map((id) => id.toUpperCase()),
  fc.constantFrom(
    '00000000-0000-0000-0000-000000000000',
    'ffffffff-ffff-ffff-ffff-ffffffffffff',
    '01890000-0000-7000-8000-000000000000\n',
    '{01890000-0000-7000-8000-000000000000}',
    '0189000000007000800000000000000',
  ),
);

const near = (...values: unknown[]) =>
  fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...values) }, odd);

const rule = fc.record(
  {
    id: near(
      'a',
      'burst',
      'per-day',
      'a'.repeat(64),
      'a'.repeat(65),
      '-a',
      'A',
      'a\n',
      '__proto__',
    ),
    limit: near(1, 10, 1_000_000_000, 1_000_000_001, 0, 1.5, '1'),
    window_ms: near(1000, 999, 60_000, 2_678_400_000, 2_678_400_001),
    algorithm: near('fixed', 'sliding', 'Fixed', 'gcra'),
    scope: near('key', 'tenant', 'project'),
    extra: odd,
  },
  { requiredKeys: ['id', 'limit', 'window_ms', 'algorithm', 'scope'] },
);

const plainRule = fc.record({
  id: fc.stringMatching(/^[a-z0-9][a-z0-9._-]{0,6}$/),
  limit: fc.integer({ min: 1, max: 1_000_000_000 }),
  window_ms: fc.integer({ min: 1000, max: 2_678_400_000 }),
  algorithm: fc.constantFrom('fixed', 'sliding'),
  scope: fc.constantFrom('key', 'tenant'),
});

const bodyOf = (
  limits: fc.Arbitrary<unknown>,
  id: fc.Arbitrary<unknown>,
  cost: fc.Arbitrary<unknown>,
) =>
  fc.record(
    {
      project_id: id,
      env: near('live', 'test'),
      key_id: fc.option(id, { nil: null }),
      tenant_id: fc.option(id, { nil: null }),
      cost,
      limits,
      surplus: odd,
    },
    { requiredKeys: ['project_id', 'env', 'limits'] },
  );

/** Valid rules, so that a body with them fails only because of another field. */
const plainRules = fc.uniqueArray(plainRule, {
  minLength: 1,
  maxLength: 8,
  selector: ({ id }) => id,
});

const nearly = fc.oneof(
  bodyOf(plainRules, fc.oneof({ weight: 2, arbitrary: fc.uuid() }, uuid), fc.constant(1)),
  bodyOf(plainRules, fc.oneof({ weight: 4, arbitrary: fc.uuid() }, odd), fc.constant(1)),
  bodyOf(fc.array(rule, { maxLength: 9 }), fc.oneof(uuid, odd), near(0, 1, 1000, 1001, -1, 0.5)),
  bodyOf(fc.array(plainRule, { maxLength: 9 }), fc.uuid(), fc.integer({ min: 0, max: 1000 })),
  odd,
);

test('the check by hand accepts the same bodies as the schema, with the same result', () => {
  let accepted = 0;
  fc.assert(
    fc.property(nearly, (value) => {
      const body = wired(value);
      const byHand = acceptedBody(wired(value));
      const bySchema = schema.safeParse(body);
      if (byHand !== null) accepted += 1;
      equal(byHand !== null, bySchema.success, JSON.stringify(body));
      if (bySchema.success) deepEqual(byHand, bySchema.data);
    }),
    { numRuns: RUNS },
  );
  notEqual(accepted, 0);
});

test('a body with __proto__ is left to the schema', () => {
  const text = '{"__proto__":{"env":"live"},"project_id":"01890000-0000-7000-8000-000000000000"}';
  equal(acceptedBody(JSON.parse(text)), null);
});
