// The hand-written formatter produces the same text as Date.toISOString.
import { equal, throws } from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { wireTime } from './wire-time.ts';

test('times are formatted as toISOString formats them, in any order', () => {
  fc.assert(
    fc.property(fc.array(fc.date({ noInvalidDate: true }), { minLength: 1 }), (moments) => {
      for (const moment of moments) equal(wireTime(moment), moment.toISOString());
    }),
    { numRuns: 2000 },
  );
});

test('times at the edges of a day, the epoch and the Date range are formatted correctly', () => {
  for (const text of [
    '1970-01-01T00:00:00.000Z',
    '1969-12-31T23:59:59.999Z',
    '2028-02-29T23:59:59.999Z',
    '2028-03-01T00:00:00.000Z',
    '-000001-12-31T23:59:59.999Z',
    '+275760-09-13T00:00:00.000Z',
    '-271821-04-20T00:00:00.000Z',
  ]) {
    equal(wireTime(new Date(text)), text);
  }
});

test('an invalid date throws', () => {
  throws(() => wireTime(new Date(Number.NaN)), RangeError);
});
