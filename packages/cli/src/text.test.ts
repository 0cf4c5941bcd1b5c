// Pure functions for tables, times, rate limits and option values.
import { deepEqual, equal, ok, throws } from 'node:assert/strict';
import { test } from 'node:test';
import { Failure } from './failures.ts';
import { givenOf } from './input/given.ts';
import { rateLimitOf, rateLimitText } from './input/rate-limits.ts';
import { tableLines } from './output/table.ts';
import { cut, pad, painter, printable, widthOf } from './terminal/style.ts';
import { hoursOf, instantOf, relative, spanText } from './times.ts';

const plain = painter(false);
const now = new Date('2026-11-15T12:00:00.000Z');

test('control characters are replaced with visible escapes', () => {
  equal(printable('a\u001b[31mb'), 'a\\u001b[31mb');
  equal(printable('a\u009b2Jb\nc'), 'a\\u009b2Jb\\u000ac');
  equal(printable('abc\u202edef'), 'abc\\u202edef');
  equal(printable('Ünïcödé 株式 👩‍🔬'), 'Ünïcödé 株式 👩‍🔬');
});

test('text widths are measured in terminal columns', () => {
  equal(widthOf('abc'), 3);
  equal(widthOf('株式'), 4);
  equal(widthOf('👩‍🔬'), 2);
  equal(widthOf('e\u0301'), 1);
  equal(cut('株式会社', 5), '株式…');
  equal(cut('abc', 3), 'abc');
  equal(pad('株', 4), '株  ');
});

const columns = [
  { title: 'id' },
  { title: 'name', shrink: true },
  { title: 'seen', drop: 1 },
  { title: 'made', drop: 2 },
] as const;
const row = ['0123456789', 'a name that is rather long', '1m ago', '2m ago'];
const sheet = { columns, rows: [row.map((text) => ({ text }))] };

test('a table that is too wide first drops columns, then cuts values, but never cuts an ID', () => {
  const at = (width: number) => tableLines(sheet, width, plain)[1];
  equal(at(Number.POSITIVE_INFINITY), '0123456789  a name that is rather long  1m ago  2m ago');
  equal(at(54), '0123456789  a name that is rather long  1m ago  2m ago');
  for (const width of [54, 50, 44, 40, 36, 30, 26]) ok(widthOf(at(width) ?? '') <= width);
  ok(!at(36)?.includes('2m ago'));
  ok(at(36)?.includes('1m ago'));
  ok(!at(26)?.includes('1m ago'));
  ok(at(5)?.startsWith('0123456789'));
});

test("colours apply to a cell's text, but not to its padding", () => {
  const cells = [
    { text: 'ok', tone: 'green' as const },
    { text: 'x', tone: undefined },
  ];
  const lines = tableLines(
    { columns: [{ title: 'state' }, { title: 'b' }], rows: [cells] },
    80,
    painter(true),
  );
  equal(lines[1], '\u001b[32mok\u001b[0m     x');
});

test('a time in an option can be given as a duration, a date or a full timestamp', () => {
  equal(instantOf('30d', now), '2026-12-15T12:00:00.000Z');
  equal(instantOf('2027-01-31', now), '2027-01-31T00:00:00Z');
  equal(instantOf('2027-01-31T12:00:00+02:00', now), '2027-01-31T12:00:00+02:00');
  for (const text of ['tomorrow', '', '30', '-1d', '2027-1-1']) {
    throws(() => instantOf(text, now), Failure, text);
  }
});

test('an overlap can be given in hours or as a duration', () => {
  deepEqual(['24', '0', '90m', '2d', '1w'].map(hoursOf), [24, 0, 1.5, 48, 168]);
  throws(() => hoursOf('soon'), Failure);
  deepEqual([60_000, 90_000, 86_400_000, 1500].map(spanText), ['1m', '90s', '1d', '1500ms']);
});

test('times within 60 days of now are printed as relative times, all others as dates', () => {
  const at = (ms: number) => relative(new Date(now.getTime() + ms).toISOString(), now);
  deepEqual([-90_000, -3_600_000, 7 * 86_400_000 - 5, 0].map(at), [
    '1m ago',
    '1h ago',
    'in 7d',
    'now',
  ]);
  equal(at(-90 * 86_400_000), '2026-08-17');
});

test('a rate limit is printed in the format in which it is entered', () => {
  const text = 'burst=100/10s:fixed:tenant';
  equal(rateLimitText(rateLimitOf(text)), text);
  equal(rateLimitText(rateLimitOf('m=600/1m')), 'm=600/1m:sliding:key');
  for (const bad of ['', 'a', 'a=b/1m', 'a=1', 'a=1/1y', 'a=1/1m:often', '=1/1m']) {
    throws(() => rateLimitOf(bad), Failure, bad);
  }
});

test('invalid option values are rejected', () => {
  const given = givenOf({
    limit: '1e3',
    meta: '[]',
    id: 'kr_live_pasted',
    days: '7',
    rateLimit: 5,
  });
  throws(() => given.number('limit'), /--limit must be a whole number/);
  throws(() => given.object('meta'), /--meta must be a JSON object/);
  throws(() => given.text('externalId'), /--external-id is required/);
  throws(
    () => given.id('id'),
    (error: Error) => !error.message.includes('pasted'),
  );
  equal(given.number('days'), 7);
  equal(given.list('rateLimit'), undefined);
});
