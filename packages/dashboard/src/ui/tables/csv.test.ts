// CSV exports contain names chosen by customers. No spreadsheet may run part of a name as a
// formula.
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { csvOf } from './csv.ts';

const cellOf = (name: string): string =>
  csvOf(['name'], [[name]])
    .replace(/^"name"\r\n/, '')
    .replace(/\r\n$/, '');

/** The cells that a spreadsheet reads with this separator. */
function cellsOf(line: string, separator: string): string[] {
  const cells: string[] = [];
  for (let at = 0; at <= line.length; ) {
    const isQuoted = line[at] === '"';
    let end = isQuoted ? at + 1 : line.indexOf(separator, at);
    while (isQuoted && (line[end] !== '"' || line[end + 1] === '"')) {
      if (end >= line.length) break;
      end += line[end] === '"' ? 2 : 1;
    }
    if (end === -1) end = line.length;
    cells.push(isQuoted ? line.slice(at + 1, end).replaceAll('""', '"') : line.slice(at, end));
    at = isQuoted ? end + 2 : end + 1;
  }
  return cells;
}

const HOSTILE = [
  'x;=HYPERLINK(B1);',
  'x;=HYPERLINK("http://other.example";"open");',
  'x|+1',
  'x\t=1+1',
  'x\r\n@SUM(A1)',
  'x; \u00a0 -1',
  'x;;=1',
  ';=1',
  '=1+1',
  ' =1+1',
  '\t=1',
  '+1',
  '-1',
  '@x',
  'x;"=1',
  'x;";=1',
  'x",=1',
  '\uff1d1+1',
];

test('no name is read as a formula, no matter which separator a spreadsheet uses', () => {
  for (const name of HOSTILE) {
    const line = `3,${cellOf(name)}`;
    for (const separator of [',', ';', '\t', '|']) {
      for (const cell of cellsOf(line, separator)) {
        for (const part of cell.split(/[;|\t\r\n]/)) {
          equal(
            /^\s*[=+\-@\uff1d\uff0b\uff0d\uff20]/.test(part),
            false,
            JSON.stringify([name, separator, line]),
          );
        }
      }
    }
  }
});

test('text is quoted but numbers and missing values are not, and ordinary names are left unchanged', () => {
  equal(
    csvOf(
      ['name', 'count'],
      [
        ['Globex, "Inc."', 3],
        [null, -1],
      ],
    ),
    ['"name","count"\r\n"Globex, ""Inc.""",3\r\n,-1\r\n'].join(''),
  );
  deepEqual(['Acme-Inc', 'a=b', 'x; y', 'plus+'].map(cellOf), [
    '"Acme-Inc"',
    '"a=b"',
    '"x; y"',
    '"plus+"',
  ]);
});
