// Input is parsed strictly, and errors contain the value's path.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { Meta, RateLimits } from '@keyrail/protocol/validators.ts';
import { JSON_DEPTH_MAX } from '@keyrail/protocol/wire/limits.ts';
import fc from 'fast-check';
import { z } from 'zod';
import { ApiError, type Detail } from '../base/errors.ts';
import { parsePart, readJson } from './input.ts';

const refusalOf = (act: () => unknown): ApiError => {
  try {
    act();
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error('it was accepted');
};

const detailsOf = (schema: z.ZodType, value: unknown): Detail[] => {
  const refusal = refusalOf(() => parsePart('body', schema, value));
  equal(refusal.message, 'The request body is not valid.');
  return refusal.details ?? [];
};

const bytes = (...parts: (string | number[])[]): Buffer =>
  Buffer.concat(parts.map((part) => Buffer.from(part as string)));

const notJson: Record<string, Buffer> = {
  'an empty body': bytes(''),
  whitespace: bytes(' \n\t'),
  'half an object': bytes('{"a":'),
  'two values': bytes('{}{}'),
  'a trailing comma': bytes('{"a":1,}'),
  'single quotes': bytes("{'a':1}"),
  'a comment': bytes('{} // end'),
  'a byte order mark': bytes([0xef, 0xbb, 0xbf], '{}'),
  'a bare word': bytes('undefined'),
  NaN: bytes('{"a":NaN}'),
  Infinity: bytes('[Infinity]'),
  'a hexadecimal number': bytes('[0x10]'),
  'a raw control character': bytes('"\u0001"'),
  'a raw NUL': bytes('{"a":"\u0000"}'),
  'invalid UTF-8': bytes('{"a":"', [0xff], '"}'),
  'overlong UTF-8': bytes('{"a":"', [0xc0, 0xaf], '"}'),
  'a surrogate in UTF-8': bytes('{"a":"', [0xed, 0xa0, 0x80], '"}'),
  'UTF-16': Buffer.from('{"a":1}', 'utf16le'),
  'a closing bracket before the opening one': bytes(']['),
};

for (const [what, body] of Object.entries(notJson)) {
  test(`${what} is not JSON`, () => {
    const refusal = refusalOf(() => readJson(body));
    equal(
      `${refusal.code}: ${refusal.message}`,
      'invalid_request: The request body is not valid JSON.',
    );
  });
}

test('any JSON value is parsed unchanged', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 20 }), (text) => {
      deepEqual(readJson(Buffer.from(text)), JSON.parse(text));
    }),
  );
});

const nested = (levels: number, [open, close]: [string, string], inner = ''): Buffer =>
  Buffer.from(`${open.repeat(levels)}${inner}${close.repeat(levels)}`);

test('64 levels of nesting are accepted; 65 and a million are rejected', () => {
  const shapes: [string, string, string][] = [
    ['[', ']', ''],
    ['{"a":', '}', '1'],
  ];
  for (const [open, close, inner] of shapes) {
    readJson(nested(JSON_DEPTH_MAX, [open, close], inner));
    for (const levels of [JSON_DEPTH_MAX + 1, 1_000_000]) {
      const refusal = refusalOf(() => readJson(nested(levels, [open, close], inner)));
      equal(refusal.message, 'The request body is not valid.');
      deepEqual(refusal.details, [{ path: '', message: 'Nested more than 64 levels deep.' }]);
    }
  }
  const half = JSON_DEPTH_MAX / 2;
  const mixed = `${'{"a":'.repeat(half)}${'['.repeat(half)}`;
  const ends = `${']'.repeat(half)}${'}'.repeat(half)}`;
  readJson(Buffer.from(mixed + ends));
  refusalOf(() => readJson(Buffer.from(`[${mixed}${ends}]`)));
  refusalOf(() => readJson(Buffer.from(`{"b":${mixed}${ends}}`)));
  refusalOf(() => readJson(Buffer.from('['.repeat(1_000_000))));
});

test('brackets in strings, and siblings, do not count as nesting', () => {
  const brackets = '[{'.repeat(1000);
  deepEqual(readJson(Buffer.from(JSON.stringify([brackets]))), [brackets]);
  deepEqual(readJson(Buffer.from(JSON.stringify([`\\"${brackets}`]))), [`\\"${brackets}`]);
  const siblings = Array.from({ length: 1000 }, () => [{}]);
  deepEqual(readJson(Buffer.from(JSON.stringify(siblings))), siblings);
});

test('the number of values in a body is limited; commas inside strings are not counted', () => {
  const list = (values: number) => Buffer.from(`[${Array(values).fill('","').join()}]`);
  equal((readJson(list(5), 5) as unknown[]).length, 5);
  const refusal = refusalOf(() => readJson(list(6), 5));
  equal(refusal.message, 'The request body is not valid.');
  deepEqual(refusal.details, [{ path: '', message: 'More than 5 values.' }]);
});

const Rules = z.strictObject({ rate_limits: RateLimits.optional(), name: z.string().optional() });
const rule = { id: 'a', limit: 1, window_ms: 1000, algorithm: 'fixed', scope: 'key' };

const paths: [string, unknown, string[]][] = [
  ['a wrong field', { name: 1 }, ['name']],
  [
    'a nested wrong field',
    { rate_limits: [{ ...rule, window_ms: 1 }] },
    ['rate_limits.0.window_ms'],
  ],
  ['two wrong fields', { name: 1, rate_limits: 2 }, ['rate_limits', 'name']],
  ['an unknown field', { nam: 'x' }, ['nam']],
  ['two unknown fields', { nam: 1, nme: 1 }, ['nam', 'nme']],
  ['a nested unknown field', { rate_limits: [{ ...rule, burst: 1 }] }, ['rate_limits.0.burst']],
  ['an array instead of an object', [], ['']],
  ['null instead of an object', null, ['']],
  ['null for an optional field', { name: null }, ['name']],
  ['a string with NUL', { name: 'a\u0000b' }, ['name']],
  ['half a surrogate pair', { name: '\ud800' }, ['name']],
  ['a name with NUL', { 'a\u0000b': 1 }, ['a\ufffdb']],
  ['a name with half a surrogate pair', { 'a\udfffb': 1 }, ['a\ufffdb']],
  [
    'a field with NUL and two other wrong fields',
    { name: '\u0000', rate_limits: 2, nam: 1 },
    ['name', 'rate_limits', 'nam'],
  ],
  ['a field that has NUL and the wrong type', { rate_limits: '\u0000' }, ['rate_limits']],
];

for (const [what, value, expected] of paths) {
  test(`an error contains the path of ${what}`, () => {
    deepEqual(
      detailsOf(Rules, value).map(({ path }) => path),
      expected,
    );
  });
}

test('a missing field is reported as required, unless a custom rule has its own message', () => {
  const Key = z
    .strictObject({ name: z.string(), env: z.enum(['live', 'test']), limits: RateLimits })
    .partial({ limits: true })
    .refine(({ limits }) => limits !== undefined, { path: ['limits'], message: 'say how much' });
  deepEqual(detailsOf(Key, { limits: [{ id: 'a' }] }).slice(0, 3), [
    { path: 'name', message: 'Required.' },
    { path: 'env', message: 'Required.' },
    { path: 'limits.0.limit', message: 'Required.' },
  ]);
  deepEqual(detailsOf(Key, { name: 'a', env: 'live' }), [
    { path: 'limits', message: 'say how much' },
  ]);
  const [wrong] = detailsOf(Key, { name: null, env: 'live', limits: [] });
  equal(wrong?.message, 'Invalid input: expected string, received null');
});

test('names that could pollute prototypes are rejected at every level', () => {
  const wanted = z.strictObject({ meta: Meta });
  for (const text of [
    '{"__proto__":{"polluted":1}}',
    '{"meta":{"__proto__":{"polluted":1}}}',
    '{"meta":{"a":[{"__proto__":1}]}}',
    '{"constructor":{"prototype":{"polluted":1}}}',
  ]) {
    ok(detailsOf(wanted, JSON.parse(text)).length > 0, text);
  }
  equal('polluted' in {}, false);
  const harmless = JSON.parse('{"meta":{"constructor":{"prototype":{"polluted":1}}}}');
  deepEqual(parsePart('body', wanted, harmless), harmless);
  equal('polluted' in {}, false);
});

test('an error response stays small, even with thousands of errors', () => {
  const many = Object.fromEntries(Array.from({ length: 5000 }, (_, n) => [`k${n}`, '\u0000']));
  equal(detailsOf(z.strictObject({}), many).length, 100);
  const unknown = Object.fromEntries(Array.from({ length: 5000 }, (_, n) => [`k${n}`, 1]));
  equal(detailsOf(z.strictObject({}), unknown).length, 100);

  const longName = 'k'.repeat(900_000);
  for (const value of [
    { [longName]: Object.fromEntries(Object.entries(many).slice(0, 200)) },
    { [longName]: 1 },
    { [`${longName}\u0000`]: 1 },
  ]) {
    const told = JSON.stringify(detailsOf(z.strictObject({}), value));
    ok(told.length < 100_000, `${told.length} characters`);
  }
});

test('nothing is coerced, trimmed or dropped', () => {
  const wanted = z.strictObject({ n: z.int().optional(), t: z.string().optional() });
  for (const n of ['5', true, 1.5, 2 ** 53, Number.POSITIVE_INFINITY, [5], {}]) {
    deepEqual(
      detailsOf(wanted, { n }).map(({ path }) => path),
      ['n'],
    );
  }
  deepEqual(parsePart('query', wanted, { t: '  a  ' }), { t: '  a  ' });
});
