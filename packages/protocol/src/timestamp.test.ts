// Which timestamps are accepted, and the instant that each one represents.
import { equal } from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseTimestamp, WIRE_TIME } from './timestamp.ts';

const accepted: [input: string, instant: string][] = [
  ['2025-01-31T10:00:00Z', '2025-01-31T10:00:00.000Z'],
  ['2025-01-31T10:00:00.1Z', '2025-01-31T10:00:00.100Z'],
  ['2025-01-31T10:00:00.123Z', '2025-01-31T10:00:00.123Z'],
  ['2025-01-31T10:00:00.123999999Z', '2025-01-31T10:00:00.123Z'],
  ['2025-01-31T10:00:00+02:00', '2025-01-31T08:00:00.000Z'],
  ['2025-01-31T10:00:00-05:30', '2025-01-31T15:30:00.000Z'],
  ['2025-01-31T10:00:00-00:00', '2025-01-31T10:00:00.000Z'],
  ['2025-01-31T10:00:00+23:59', '2025-01-30T10:01:00.000Z'],
  ['2024-02-29T23:59:59.999Z', '2024-02-29T23:59:59.999Z'],
  ['2000-02-29T00:00:00Z', '2000-02-29T00:00:00.000Z'],
  ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
  ['0099-12-31T00:00:00Z', '0099-12-31T00:00:00.000Z'],
  ['1969-12-31T23:59:59.9999Z', '1969-12-31T23:59:59.999Z'],
  ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
];

for (const [input, instant] of accepted) {
  test(`${input} is parsed as ${instant}`, () => {
    equal(parseTimestamp(input)?.toISOString(), instant);
  });
}

const refused: [input: string, why: string][] = [
  ['', 'it is empty'],
  ['2025-01-31', 'it has no time'],
  ['2025-01-31T10:00:00', 'it has no offset'],
  ['2025-01-31T10:00Z', 'it has no seconds'],
  ['2025-01-31 10:00:00Z', 'a space replaces the T'],
  ['2025-01-31t10:00:00z', 'it is in lowercase'],
  ['2025-02-29T00:00:00Z', '2025 is not a leap year'],
  ['1900-02-29T00:00:00Z', '1900 is not a leap year'],
  ['2024-02-30T00:00:00Z', 'February has at most 29 days'],
  ['2025-04-31T00:00:00Z', 'April has 30 days'],
  ['2025-00-10T00:00:00Z', 'there is no month zero'],
  ['2025-13-01T00:00:00Z', 'there is no thirteenth month'],
  ['2025-01-00T00:00:00Z', 'there is no day zero'],
  ['2025-01-31T24:00:00Z', 'midnight is 00:00'],
  ['2025-01-31T10:60:00Z', 'an hour has sixty minutes'],
  ['2025-06-30T23:59:60Z', 'leap seconds cannot be stored'],
  ['2025-01-31T10:00:00.Z', 'the fraction is empty'],
  ['2025-01-31T10:00:00.1234567890Z', 'the fraction is too long'],
  ['2025-01-31T10:00:00,5Z', 'the fraction follows a comma'],
  ['2025-01-31T10:00:00+0200', 'the offset has no colon'],
  ['2025-01-31T10:00:00+02', 'the offset has no minutes'],
  ['2025-01-31T10:00:00+24:00', 'the offset is a whole day'],
  ['2025-01-31T10:00:00+02:60', 'the offset has too many minutes'],
  ['+002025-01-31T10:00:00Z', 'the year has a sign'],
  ['0000-01-01T00:00:00Z', 'there is no year zero'],
  ['0001-01-01T00:00:00+01:00', 'the instant is in year zero'],
  ['9999-12-31T23:59:59-01:00', 'the instant is in year 10000'],
  [' 2025-01-31T10:00:00Z', 'it starts with a space'],
  ['2025-01-31T10:00:00Z\n', 'it ends with a line break'],
  ['1738317600000', 'it is a number'],
];

for (const [input, why] of refused) {
  test(`${JSON.stringify(input)} is rejected: ${why}`, () => {
    equal(parseTimestamp(input), null);
  });
}

const instants = fc.date({
  min: new Date('0001-01-02T00:00:00.000Z'),
  max: new Date('9999-12-30T00:00:00.000Z'),
  noInvalidDate: true,
});

test('a timestamp in the response format is accepted in requests, as the same instant', () => {
  fc.assert(
    fc.property(instants, (instant) => {
      const text = instant.toISOString();
      equal(WIRE_TIME.test(text), true);
      equal(parseTimestamp(text)?.getTime(), instant.getTime());
    }),
  );
});

test('an offset changes how an instant is written, but not which instant it is', () => {
  const offsets = fc.integer({ min: -1439, max: 1439 });
  fc.assert(
    fc.property(instants, offsets, (instant, minutes) => {
      const local = new Date(instant.getTime() + minutes * 60_000).toISOString().slice(0, -1);
      const hours = Math.floor(Math.abs(minutes) / 60);
      const rest = Math.abs(minutes) % 60;
      const two = (value: number) => String(value).padStart(2, '0');
      const offset = `${minutes < 0 ? '-' : '+'}${two(hours)}:${two(rest)}`;
      equal(parseTimestamp(local + offset)?.getTime(), instant.getTime());
    }),
  );
});
