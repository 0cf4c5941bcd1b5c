import { deepEqual, equal, throws } from 'node:assert/strict';
import { test } from 'node:test';
import {
  clampedNumber,
  fieldsOf,
  InvalidContent,
  readBoolean,
  readInteger,
  readList,
  readRecord,
  readStrings,
  readText,
} from './json.ts';

const refused = (read: () => unknown) => throws(read, InvalidContent);

test('a value that is not an object has no fields', () => {
  for (const value of [null, undefined, 1, 'text', true]) deepEqual(fieldsOf(value), {});
  equal(fieldsOf({ a: 1 }).a, 1);
  equal(fieldsOf(Object.assign(new Error(), { code: 'ENOENT' })).code, 'ENOENT');
});

test('a number is clamped to its range', () => {
  const range = { min: 0, max: 10 };
  const read = (value: unknown) => clampedNumber(value, range);
  deepEqual([-1, 3, Number.POSITIVE_INFINITY].map(read), [0, 3, 10]);
  deepEqual(['3', null, Number.NaN].map(read), [null, null, null]);
});

test('a value of the wrong type, or out of bounds, is rejected', () => {
  refused(() => readRecord(null, 'a'));
  refused(() => readList({}, 'a', 1));
  refused(() => readList([1, 2], 'a', 1));
  refused(() => readStrings(['a', 1], 'a', 9));
  refused(() => readText('ab', 'a', /^a$/));
  refused(() => readText(1, 'a', /1/));
  refused(() => readBoolean('true', 'a'));
  for (const value of [-1, 1.5, 11, Number.POSITIVE_INFINITY, '1', null])
    refused(() => readInteger(value, 'a', 10));
  equal(readInteger(10, 'a', 10), 10);
});
