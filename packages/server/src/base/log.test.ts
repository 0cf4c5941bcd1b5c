// Log lines: JSON for machines, readable on a terminal.
import { deepEqual, equal, match } from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { type LogLevel, logLevels, openLog, readableLine } from './log.ts';

const plain = (fields: object): string =>
  stripVTControlCharacters(
    readableLine(JSON.stringify({ level: 'info', time: '2026-01-02T03:04:05.678Z', ...fields })),
  );

const readable: [string, object, string][] = [
  ['time, level and message', { msg: 'ready' }, '03:04:05 info  ready'],
  ['a five-letter level', { level: 'error', msg: 'no' }, '03:04:05 error no'],
  ['a level without a colour', { level: 'trace', msg: 'x' }, '03:04:05 trace x'],
  [
    'fields after the message',
    { msg: 'ready', ms: 12, url: 'http://a' },
    'ready ms=12 url=http://a',
  ],
  ['a nested field as JSON', { msg: 'migrated', applied: ['a', 'b'] }, 'applied=["a","b"]'],
  ['fields even without a message', { ms: 1 }, '03:04:05 info   ms=1'],
  ['a stack on separate lines', { msg: 'm', error: { stack: 'Error: x\n at y' } }, '\n  Error: x'],
  ['an error field of any other type', { msg: 'm', error: 'odd' }, '\n  "odd"'],
];

for (const [what, fields, expected] of readable) {
  test(`a readable line shows ${what}`, () => {
    const line = plain(fields);
    equal(line.includes(expected), true, line);
  });
}

function written(level: LogLevel, isTTY: boolean): string[] {
  const out = Object.assign(new PassThrough(), { isTTY });
  const log = openLog(level, out);
  log.debug('one');
  log.info({ ms: 2 }, 'two');
  log.warn('three');
  log.error({ error: new Error('because', { cause: new Error('deeper') }) }, 'four');
  return String(out.read() ?? '')
    .trimEnd()
    .split('\n')
    .filter(Boolean);
}

test("without a terminal, each line is a JSON object that contains its level's name", () => {
  const lines = written('info', false).map((line) => JSON.parse(line));
  deepEqual(
    lines.map(({ level, msg }) => `${level} ${msg}`),
    ['info two', 'warn three', 'error four'],
  );
  match(lines[0].time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  deepEqual(Object.keys(lines[0]), ['level', 'time', 'ms', 'msg'], 'no host name, no pid');
  match(lines[2].error.stack, /because[\s\S]*deeper/);
});

test('a terminal gets readable lines', () => {
  const [first = ''] = written('info', true);
  match(stripVTControlCharacters(first), /^\d\d:\d\d:\d\d info {2}two ms=2$/);
});

test('lines below the configured level are not written', () => {
  const lines = Object.fromEntries(logLevels.map((level) => [level, written(level, false).length]));
  deepEqual(lines, { trace: 4, debug: 4, info: 3, warn: 2, error: 1, silent: 0 });
});

test('an error is logged with its message and code, but without the values attached by a driver', () => {
  const out = new PassThrough();
  const row = { detail: 'Failing row contains (ada@example.com)', parameters: ['hunter2'] };
  const error = Object.assign(new Error('violates a check'), { code: '23514', table: 'users' });
  openLog('info', out).error({ error: Object.assign(error, row) }, 'internal error');
  const text = String(out.read());
  const { stack, ...logged } = JSON.parse(text).error;
  deepEqual(logged, {
    type: 'Error',
    message: 'violates a check',
    code: '23514',
    table: 'users',
  });
  match(stack, /violates a check\n +at /);
  equal(/ada@|hunter2/.test(text), false, text);
});
