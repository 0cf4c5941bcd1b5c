// A prefix's range contains exactly the strings and IDs that begin with it.
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { idRangeOf, textRangeOf } from './prefix-range.ts';

const byCodePoints = (a: string, b: string): number =>
  Buffer.compare(Buffer.from(a), Buffer.from(b));

const isIn = (text: string, { from, to }: ReturnType<typeof textRangeOf>): boolean =>
  byCodePoints(text, from) >= 0 && (to === null || byCodePoints(text, to) < 0);

test("a string is in a prefix's range if and only if it begins with that prefix", () => {
  const text = fc.string({ unit: 'binary', maxLength: 4 }).map((some) => some.toWellFormed());
  const lower = text.map((some) => some.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase()));
  fc.assert(
    fc.property(lower, lower, (start, more) => {
      equal(isIn(more, textRangeOf(start)), more.startsWith(start));
      equal(isIn(start + more, textRangeOf(start)), true);
    }),
  );
});

test('a prefix that ends in the highest character also has a range, and only ASCII letters are lowercased', () => {
  deepEqual(textRangeOf('KR_Ä'), { from: 'kr_Ä', to: 'kr_Å' });
  deepEqual(textRangeOf('\ud7ff'), { from: '\ud7ff', to: '\ue000' });
  deepEqual(textRangeOf('a\u{10ffff}'), { from: 'a\u{10ffff}', to: 'b' });
  deepEqual(textRangeOf('\u{10ffff}'), { from: '\u{10ffff}', to: null });
});

test('a string has an ID range only if an ID can begin with it', () => {
  const id = '01890C5E-7b21-7c3a-9d5e-0123456789ab';
  deepEqual(idRangeOf(id), { from: id, to: id });
  deepEqual(idRangeOf('01890c5e-7'), {
    from: '01890c5e-7000-0000-0000-000000000000',
    to: '01890c5e-7fff-ffff-ffff-ffffffffffff',
  });
  for (const text of ['g', '01890c5e7', '0-', `${id}0`, 'kr_live_', '0 ']) {
    equal(idRangeOf(text), null, text);
  }
});
