// Parsing query parameters.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { paging, queryBoolean, queryInteger, TenantFilter } from './query.ts';

test('a whole number is accepted only if it is written in decimal digits and within its range', () => {
  const limit = queryInteger(1, 200);
  equal(limit.parse('1'), 1);
  equal(limit.parse('200'), 200);
  equal(limit.parse('007'), 7);
  for (const text of ['0', '201', '', ' 5', '5 ', '+5', '-5', '1e2', '0x10', '5.0', '５', 'ten']) {
    ok(!limit.safeParse(text).success, JSON.stringify(text));
  }
  for (const value of [5, null, ['5', '6']]) ok(!limit.safeParse(value).success);
});

test('a number can have more than ten digits only if its maximum does', () => {
  const since = queryInteger(0, Number.MAX_SAFE_INTEGER);
  equal(since.parse('9007199254740991'), Number.MAX_SAFE_INTEGER);
  ok(!since.safeParse('9007199254740992').success);
  ok(!since.safeParse('1'.repeat(17)).success);
  ok(!queryInteger(1, 50).safeParse('00000000005').success);
});

test('an omitted number gets its default; without a default, it is required', () => {
  equal(queryInteger(1, 200, 50).parse(undefined), 50);
  ok(!queryInteger(1, 200).safeParse(undefined).success);
});

test('a boolean is accepted only as true or false', () => {
  equal(queryBoolean(false).parse('true'), true);
  equal(queryBoolean(true).parse('false'), false);
  equal(queryBoolean(false).parse(undefined), false);
  for (const value of ['1', '0', 'yes', 'TRUE', '', true]) {
    ok(!queryBoolean(false).safeParse(value).success, String(value));
  }
});

test('a tenant filter accepts 1 to 50 IDs', () => {
  const id = '0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b';
  deepEqual(TenantFilter.parse(id), [id]);
  deepEqual(TenantFilter.parse([id, id.toUpperCase()]), [id, id]);
  equal(TenantFilter.parse(Array(50).fill(id)).length, 50);
  for (const value of [[], Array(51).fill(id), 'x', [id, 'x'], `${id},${id}`, '']) {
    ok(!TenantFilter.safeParse(value).success);
  }
});

test('a limit above the maximum is rejected, not clamped', () => {
  const page = z.strictObject(paging(100, 50));
  deepEqual(page.parse({}), { limit: 50 });
  deepEqual(page.parse({ limit: '100', cursor: 'abc' }), { limit: 100, cursor: 'abc' });
  for (const query of [{ limit: '101' }, { limit: '0' }, { cursor: '' }, { page: '2' }]) {
    ok(!page.safeParse(query).success);
  }
});
