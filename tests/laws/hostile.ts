// Values and requests that have broken other servers: put where a valid one belongs, they must be
// refused like any mistake.
import { BODY_BYTES_MAX, JSON_DEPTH_MAX } from '@keyrail/protocol/limits.ts';
import fc from 'fast-check';

/** Stands for JSON text that no JavaScript value stringifies to. */
const verbatim = (json: string): string => `§json:${Buffer.from(json).toString('base64')}§`;

/** JSON of an input, with what was meant verbatim put in as it is. */
export const jsonOf = (input: unknown): string =>
  JSON.stringify(input).replaceAll(/"§json:([^§]*)§"/g, (_, base64: string) =>
    Buffer.from(base64, 'base64').toString(),
  );

const nested = (levels: number, inner = '1'): string =>
  `${'['.repeat(levels)}${inner}${']'.repeat(levels)}`;

const texts = [
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\ud800',
  '\udfff',
  'a\ud83d',
  '\ufeff',
  '\u202e\u2066',
  'e\u0301'.repeat(500),
  '\u0001\u001f\u007f',
  'x'.repeat(10_000),
  "'; drop table workspaces; --",
  '{{7*7}}<script>',
  '../../etc/passwd',
  '..',
  '.',
  '%00',
  '%2e%2e%2f',
  'null',
  'undefined',
  'NaN',
  'true',
  '5',
  '05',
  '0x10',
  '1e2',
  ' 5 ',
  '-1',
  'LIVE',
  'Live',
  'live ',
  'live,test',
  '[object Object]',
  '__proto__',
  'constructor',
  '00000000-0000-0000-0000-000000000000',
  'FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF',
  '{01890000-0000-7000-8000-000000000000}',
  '2024-02-30T00:00:00Z',
  '2024-01-01T24:00:00Z',
  '2024-01-01',
  '+275760-09-13T00:00:00Z',
  '-000001-01-01T00:00:00Z',
];

const numbers = [
  ...[0, -1, 1.5, 5e-324, 2 ** 31, 2 ** 53, -(2 ** 53), 1e308],
  ...['1e400', '-1e400', '-0', '9007199254740993', '1e-400', '1E2', '5.0'].map(verbatim),
];

const structures: unknown[] = [
  null,
  true,
  false,
  [],
  {},
  [[]],
  [null],
  ['live', 'test'],
  ['x', 1, null],
  { $ref: '#' },
  { length: 1, 0: 'x' },
  { toString: 'x', valueOf: 1, toJSON: 'x' },
  { constructor: { prototype: { polluted: 1 } } },
  { hasOwnProperty: 1, '': '' },
  Array.from({ length: 10_000 }, () => 1),
  verbatim('{"__proto__":{"polluted":1}}'),
  verbatim('{"a":{"__proto__":{"polluted":1}}}'),
  verbatim('{"a":1,"a":2}'),
  verbatim('{"\\u0000":1}'),
  verbatim('{"\\ud800":1}'),
  verbatim('{"a":"\\u0000"}'),
  verbatim(nested(JSON_DEPTH_MAX - 2)),
  verbatim(nested(JSON_DEPTH_MAX - 1)),
  verbatim(nested(JSON_DEPTH_MAX)),
  verbatim(nested(JSON_DEPTH_MAX + 1)),
];

export const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(...texts),
  fc.constantFrom<unknown>(...numbers),
  fc.constantFrom<unknown>(...structures),
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.jsonValue({ maxDepth: 6 }),
);

export const hostileNames = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'id',
  'workspace_id',
  'role',
  'revoked_at',
  'embed_epoch',
  'authority',
  'a\u0000b',
  '',
  ' name',
  'Name',
];

/** Bodies as bytes, for every line that reads one. */
export const hostileBodies: Record<string, Buffer> = {
  'a byte order mark': Buffer.from('\ufeff{}'),
  'broken UTF-8': Buffer.concat([Buffer.from('{"name":"'), Buffer.from([0xff]), Buffer.from('"}')]),
  'a surrogate in UTF-8': Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]),
  'UTF-16': Buffer.from('{"name":"a"}', 'utf16le'),
  'white space': Buffer.from(' \n '),
  'half of it': Buffer.from('{"name":'),
  'two of them': Buffer.from('{}{}'),
  'a name twice': Buffer.from('{"name":"a","name":1}'),
  'an array': Buffer.from('[]'),
  'a text': Buffer.from('"x"'),
  'a number': Buffer.from('1e400'),
  null: Buffer.from('null'),
  true: Buffer.from('true'),
  pollution: Buffer.from('{"__proto__":{"polluted":1},"constructor":{"polluted":1}}'),
  'as deep as allowed': Buffer.from(nested(JSON_DEPTH_MAX)),
  'one too deep': Buffer.from(nested(JSON_DEPTH_MAX + 1)),
  'a million deep': Buffer.from('['.repeat(1_000_000)),
  'a million objects deep': Buffer.from('{"a":'.repeat(200_000)),
  'many names': Buffer.from(
    JSON.stringify(Object.fromEntries(Array.from({ length: 50_000 }, (_, n) => [`k${n}`, n]))),
  ),
  'one long name': Buffer.from(JSON.stringify({ ['k'.repeat(BODY_BYTES_MAX - 100)]: 1 })),
  'NUL bytes': Buffer.alloc(1000),
};

/** None of these is JSON, however much it looks like it. */
export const hostileTypes = [
  ...['text/plain', 'text/json', 'text/html', 'application/x-www-form-urlencoded', '*/*', 'json'],
  ...['multipart/form-data', 'multipart/form-data; boundary=x', 'application/octet-stream'],
  ...['application/jsonx', 'application/json5', 'application/ld+json', 'application/json-seq'],
  ...['application/x-json', 'application/vnd.api+json', 'application', 'application/', '/json'],
  ...['application/json/x', 'application/json, text/plain', 'application/json; charset=utf-16'],
  ...['application/json; charset=latin1', 'application/json; boundary=x', 'application/json x'],
  ...['application/json;', 'application/json;;', 'application/json\t;', ';application/json'],
  ...['application/json; charset', 'application/json;charset=utf-8;charset=utf-16', 'a', '{}'],
];

/** What may follow a path: nothing of it is ever a valid query. */
export const hostileQueries = [
  ...['?', '??', '?&', '?=', '?%', '?%zz', '?a=%ff', '?limit=%00', '?__proto__[polluted]=1'],
  ...['?__proto__=1', '?constructor=1', '?limit=1&limit=2', '?env=live&env=test', '?env=LIVE'],
  ...['?limit[]=1', '?limit=1e3', '?limit=0x10', '?limit=', '?limit=-1', '?limit=1.5', '?cursor='],
  ...[
    '?cursor=AAAA',
    '?cursor=%F0%9F%98%80',
    `?cursor=${'a'.repeat(10_000)}`,
    '?limit=99999999999',
  ],
  ...[`?${'a=1&'.repeat(3000)}`, '?a;b', '?limit=1#x', '?after_seq=9007199254740993'],
];

/** What may stand where an id belongs. */
export const hostileIds = [
  ...['nonsense', '%00', '%20', '%252e', '%2f', '%252f', '%ff', '%zz', '%', '%c0%af', '%ed%a0%80'],
  ...['01890000-0000-7000-8000-00000000000', '01890000-0000-7000-8000-0000000000000', 'null', '0'],
  ...['01890000-0000-7000-8000-00000000000g', '%7B01890000-0000-7000-8000-000000000000%7D', ';'],
  ...['01890000000070008000000000000000', `${'a'.repeat(16_000)}`, '__proto__', 'constructor', '*'],
  ...['urn:uuid:01890000-0000-7000-8000-000000000000', "'or'1'='1", '😀'],
];
