// Every validator at its limits and just beyond them.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import type { z } from 'zod';
import {
  Cursor,
  Email,
  EmbedOrigins,
  Env,
  ExternalId,
  Meta,
  Name,
  NodeId,
  OneTimeToken,
  OverlapHours,
  Password,
  password,
  RateLimit,
  RateLimits,
  Reason,
  Role,
  Scopes,
  Sha256Hex,
  Slug,
  Timestamp,
  Uuid,
} from './validators.ts';

const a = (count: number) => 'a'.repeat(count);
const rule = (over: object = {}) => ({
  id: 'burst',
  limit: 10,
  window_ms: 1000,
  algorithm: 'sliding',
  scope: 'key',
  ...over,
});
const rules = (count: number) => Array.from({ length: count }, (_, i) => rule({ id: `r${i}` }));
const nested = (levels: number): unknown => (levels === 0 ? 1 : { in: nested(levels - 1) });
const origins = (count: number) => Array.from({ length: count }, (_, i) => `https://a${i}.io`);
const label = `${a(63)}.`;

type Case = { type: z.ZodType; accepts: unknown[]; refuses: unknown[] };

const cases: Record<string, Case> = {
  Env: { type: Env, accepts: ['live', 'test'], refuses: ['LIVE', 'prod', '', null] },
  Role: { type: Role, accepts: ['owner', 'admin', 'member'], refuses: ['Owner', 'guest', null] },
  Uuid: {
    type: Uuid,
    accepts: [
      '0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b',
      '00000000-0000-0000-0000-000000000000',
      'FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF',
    ],
    refuses: [
      '',
      '0190a1b2c3d47e5f8a9b0c1d2e3f4a5b',
      '{0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b}',
      '0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5g',
      '0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b\n',
      a(5000),
      7,
    ],
  },
  Name: {
    type: Name,
    accepts: ['x', ' ', a(200), '😀'.repeat(200)],
    refuses: ['', a(201), '😀'.repeat(201), 'a\u0000b', '\ud800', 'a\udc00', null, 1],
  },
  ExternalId: { type: ExternalId, accepts: ['x', a(200)], refuses: ['', a(201), '\u0000'] },
  Reason: { type: Reason, accepts: ['x', a(500)], refuses: ['', a(501)] },
  OneTimeToken: { type: OneTimeToken, accepts: ['x', a(500)], refuses: ['', a(501)] },
  Cursor: { type: Cursor, accepts: ['x', a(512)], refuses: ['', a(513)] },
  Slug: {
    type: Slug,
    accepts: ['abc', '0-0', a(63), 'a--b'],
    refuses: ['ab', a(64), '-ab', 'ab-', 'Abc', 'a_b', 'a b', 'äbc', 'abc\n', ''],
  },
  Email: {
    type: Email,
    accepts: [
      'a@b.co',
      'First.Last+tag@Sub.Example.com',
      "o'brien!#$%&*/=?^_`{|}~-@example.com",
      'x@xn--mnchen-3ya.de',
      `${a(308)}@example.com`,
      `${a(64)}@${label.repeat(3)}${a(59)}.io`,
    ],
    refuses: [
      '',
      'a',
      '@b.co',
      'a@',
      'a@b',
      'a@b.c',
      'a@@b.co',
      'a b@c.de',
      '.a@b.co',
      'a.@b.co',
      'a..b@c.de',
      'a@-b.co',
      'a@b-.co',
      'a@b..co',
      'a@.co',
      'a@1.2.3.4',
      `a@${a(64)}.co`,
      'a@b.co\n',
      ' a@b.co',
      'a\u0000@b.co',
      'ä@b.co',
      'Me <a@b.co>',
      `${a(309)}@example.com`,
      null,
    ],
  },
  Password: {
    type: Password,
    accepts: ['x', ' '.repeat(12), a(256), '😀'.repeat(256)],
    refuses: ['', a(257), '\u0000'.repeat(12)],
  },
  'password()': {
    type: password(),
    accepts: [a(12), '😀'.repeat(12), a(256)],
    refuses: [a(11), '😀'.repeat(11), a(257)],
  },
  'password(16)': { type: password(16), accepts: [a(16)], refuses: [a(15)] },
  Timestamp: {
    type: Timestamp,
    accepts: ['2025-01-31T10:00:00Z', '1999-01-31T10:00:00.5+02:00'],
    refuses: ['2025-02-30T10:00:00Z', '2025-01-31T10:00:00', 1738317600000, null],
  },
  Meta: {
    type: Meta,
    accepts: [{}, { a: [1, null, true, 'x', { b: {} }] }, { '': '' }, nested(64)],
    refuses: [
      null,
      [],
      'x',
      1,
      JSON.parse('{"__proto__":1}'),
      JSON.parse('{"a":[{"__proto__":{}}]}'),
      { a: 'b\u0000' },
      { 'a\u0000': 1 },
      { a: ['\ud800'] },
      JSON.parse('{"a":1e999}'),
      nested(65),
    ],
  },
  Scopes: {
    type: Scopes,
    accepts: [[], Array(64).fill('read'), [a(200)]],
    refuses: [Array(65).fill('read'), [a(201)], [''], ['a\u0000'], 'read', [1], null],
  },
  RateLimit: {
    type: RateLimit,
    accepts: [
      rule(),
      rule({ id: '0' }),
      rule({ id: `a${'._-'.repeat(21)}` }),
      rule({ limit: 1 }),
      rule({ limit: 1_000_000_000 }),
      rule({ window_ms: 2_678_400_000 }),
      rule({ algorithm: 'fixed', scope: 'tenant' }),
    ],
    refuses: [
      rule({ id: '' }),
      rule({ id: '-a' }),
      rule({ id: 'A' }),
      rule({ id: a(65) }),
      rule({ limit: 0 }),
      rule({ limit: 1_000_000_001 }),
      rule({ limit: 1.5 }),
      rule({ limit: '10' }),
      rule({ window_ms: 999 }),
      rule({ window_ms: 2_678_400_001 }),
      rule({ algorithm: 'leaky' }),
      rule({ scope: 'ip' }),
      rule({ burst: 1 }),
      { id: 'a', limit: 1, window_ms: 1000 },
    ],
  },
  RateLimits: {
    type: RateLimits,
    accepts: [[], rules(8)],
    refuses: [rules(9), [rule(), rule()], {}, null],
  },
  EmbedOrigins: {
    type: EmbedOrigins,
    accepts: [
      [],
      origins(20),
      ['http://localhost:3000', 'https://App.Example.com'],
      [`http://${a(248)}`],
    ],
    refuses: [
      origins(21),
      ['https://a.io', 'https://a.io'],
      ['https://a.io/'],
      ['https://a.io/x'],
      ['https://*.a.io'],
      ['ftp://a.io'],
      ['a.io'],
      ['https://a.io:123456'],
      ['https://a.io\n'],
      [`https://${a(248)}`],
    ],
  },
  Sha256Hex: {
    type: Sha256Hex,
    accepts: [a(64), 'A'.repeat(64)],
    refuses: [a(63), a(65), 'g'.repeat(64), `${a(64)}\n`],
  },
  NodeId: {
    type: NodeId,
    accepts: ['a', 'Node-1.eu:8080_x', a(128)],
    refuses: ['', a(129), 'a b', 'a/b', 'ä'],
  },
  OverlapHours: {
    type: OverlapHours,
    accepts: [0, 0.5, 24, 168, undefined],
    refuses: [-0.1, 168.1, '24', Number.NaN, null],
  },
};

for (const [name, { type, accepts, refuses }] of Object.entries(cases)) {
  test(`${name} accepts valid values and rejects all others`, () => {
    for (const value of accepts) ok(type.safeParse(value).success, `accepts ${show(value)}`);
    for (const value of refuses) ok(!type.safeParse(value).success, `rejects ${show(value)}`);
  });
}

const show = (value: unknown) => JSON.stringify(value)?.slice(0, 80) ?? String(value);

const messages = (type: z.ZodType, value: unknown) =>
  type.safeParse(value).error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);

test('IDs and hashes are converted to lowercase', () => {
  equal(Uuid.parse('0190A1B2-C3D4-7E5F-8A9B-0C1D2E3F4A5B'), '0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b');
  equal(Sha256Hex.parse('A'.repeat(64)), a(64));
});

test('names and email addresses are not changed', () => {
  equal(Name.parse('  Ada  '), '  Ada  ');
  equal(Email.parse('Ada@Example.COM'), 'Ada@Example.COM');
});

test('rate limits with the same ID are rejected with the published message', () => {
  deepEqual(messages(RateLimits, [rule(), rule()]), [': rate limit ids must be unique']);
});

test('an invalid value inside meta is reported with its path', () => {
  deepEqual(messages(Meta, { a: [{ b: 'x\u0000' }] }), ['a.0.b: must not contain NUL characters']);
  deepEqual(messages(Meta, JSON.parse('{"a":{"__proto__":1}}')), [
    'a.__proto__: is not an allowed key',
  ]);
});

test('the overlap after a rotation is one day by default', () => {
  equal(OverlapHours.parse(undefined), 24);
});

test('an email address crafted to slow down matching is rejected quickly', () => {
  const hostile = [`${'a.'.repeat(159)}!`, `a@${'a-'.repeat(158)}`, `a@${'a.'.repeat(158)}`];
  const started = performance.now();
  for (let round = 0; round < 200; round += 1) for (const text of hostile) Email.safeParse(text);
  Email.safeParse('a'.repeat(10_000_000));
  ok(performance.now() - started < 20_000);
});
