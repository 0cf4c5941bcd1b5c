// The CSV reader accepts what RFC 4180 allows and rejects everything else, no matter how the text
// is split into chunks.
import { deepEqual, equal, throws } from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { CsvReader, type CsvRow, ROW_CHARS_MAX, UnreadableLine } from './csv.ts';

function read(...pieces: string[]): CsvRow[] {
  const reader = new CsvReader();
  return [...pieces.flatMap((piece) => reader.push(piece)), ...reader.end()];
}

const cells = (text: string) => read(text).map((row) => row.cells);

test('cells, quotation marks and line breaks are parsed as RFC 4180 specifies', () => {
  const cases: [text: string, rows: string[][]][] = [
    ['', []],
    ['a', [['a']]],
    ['a,b\r\n', [['a', 'b']]],
    [
      'a,b\n1,2',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'a,\r\n,b',
      [
        ['a', ''],
        ['', 'b'],
      ],
    ],
    [' a , b ', [[' a ', ' b ']]],
    ['"a","b"', [['a', 'b']]],
    ['"a ""quoted"" one"', [['a "quoted" one']]],
    ['"",""""', [['', '"']]],
    ['"x,y"\r\n"1\r\n2"\n"3\n4"', [['x,y'], ['1\r\n2'], ['3\n4']]],
    ['a\r\n\r\nb\r\n', [['a'], [''], ['b']]],
    ['a\r', [['a']]],
    ['ä,😀\n', [['ä', '😀']]],
  ];
  for (const [text, rows] of cases) deepEqual(cells(text), rows, JSON.stringify(text));
});

test('each row is returned with the number of the line it starts on', () => {
  const rows = read('h\r\n"1\n2\r\n3",x\n\nlast');
  deepEqual(
    rows.map(({ line }) => line),
    [1, 2, 5, 6],
  );
});

test('CSV that other programs may parse differently is rejected, with its line number', () => {
  const cases: [text: string, line: number][] = [
    ['a\n"b', 2],
    ['a\nb\n"c\nd\ne', 3],
    ['"a"b', 1],
    ['"a" ,b', 1],
    ['a"b"', 1],
    ['a\n\nb"', 3],
    ['a\rb', 1],
    [`x\n${'y'.repeat(ROW_CHARS_MAX + 1)}`, 2],
  ];
  for (const [text, line] of cases) {
    throws(
      () => read(text),
      (error) => error instanceof UnreadableLine && error.line === line,
      text.slice(0, 20),
    );
  }
});

test('any table can be written and read back unchanged, no matter how the text is split into chunks', () => {
  const cell = fc.string({ unit: fc.constantFrom('a', '"', ',', '\r', '\n', ' ', 'ü', '😀') });
  const table = fc.array(fc.array(cell, { minLength: 1, maxLength: 4 }), { maxLength: 6 });
  const cuts = fc.array(fc.nat(40), { maxLength: 20 });
  const quote = (text: string) => `"${text.replaceAll('"', '""')}"`;
  fc.assert(
    fc.property(table, fc.constantFrom('\n', '\r\n'), cuts, (rows, end, lengths) => {
      let rest = rows.map((row) => row.map(quote).join(',') + end).join('');
      const pieces: string[] = [];
      for (const length of lengths) {
        const chars = [...rest];
        pieces.push(chars.slice(0, length).join(''));
        rest = chars.slice(length).join('');
      }
      deepEqual(
        read(...pieces, rest).map((row) => row.cells),
        rows,
      );
    }),
  );
  equal(read('').length, 0);
});
