// A batch's cost is computed before the batch is validated, and quickly even for hostile input.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '../../base/errors.ts';
import { readBody } from './batch-body.ts';

const bodyOf = (text: string) => readBody(Buffer.from(text));

const faultOf = (text: string): string => {
  const body = bodyOf(text);
  equal(body.cost, 1, 'an unreadable body costs one');
  ok('fault' in body && body.fault instanceof ApiError, text.slice(0, 80));
  return body.fault.details?.[0]?.message ?? body.fault.message;
};

test('a batch costs one per event, valid or not, with a minimum of one', () => {
  const costs = {
    '{"events":[]}': 1,
    '{"events":[1,{},null]}': 3,
    '{"events":{"length":7}}': 1,
    '{"event":[1,2]}': 1,
    '[1,2]': 1,
    null: 1,
    '"events"': 1,
  };
  for (const [text, cost] of Object.entries(costs)) equal(bodyOf(text).cost, cost, text);
  deepEqual(bodyOf('{"events":[{"a":[{}]}]}'), { cost: 1, value: { events: [{ a: [{}] }] } });
});

test('values that are nested too deeply are rejected anywhere in the body', () => {
  const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
  const within = `{"events":[{"unknown":${nested(61)}}]}`;
  ok('value' in bodyOf(within), '64 levels pass');
  equal(faultOf(`{"events":[{"unknown":${nested(62)}}]}`), 'Nested more than 64 levels deep.');
  equal(faultOf(nested(65)), 'Nested more than 64 levels deep.');
  const spared = `{"events":[{"path":"${'{['.repeat(500)}"}]}`;
  ok('value' in bodyOf(spared), 'brackets in a string do not count');
});

test('a body that would take too long to parse is rejected before parsing', () => {
  const filled = (part: string, times: number) => `{"events":[${part.repeat(times)}0]}`;
  equal(faultOf(filled('{},', 100_001)), 'More than 100000 objects and arrays.');
  equal(faultOf(filled('0,'.padEnd(8), 1_000_000)), 'More than 250000 values.');
  equal(bodyOf(filled('0,', 200_000)).cost, 200_001, 'a small body is always parsed');
});

test('commas and brackets inside strings are not counted', () => {
  const event = (path: string) => JSON.stringify({ path });
  const filled = (path: string) => `{"events":[${Array(5000).fill(event(path)).join(',')}]}`;
  const lists = `/x?ids=${Array(60).fill('1234').join(',')}&q=\\"\\\\`;
  equal(bodyOf(filled(lists)).cost, 5000, 'commas');
  equal(bodyOf(filled(`/x?${'f[a]={b}&'.repeat(25)}`)).cost, 5000, 'brackets');
  const open = `{"events":["${',['.repeat(300_000)}`;
  equal(faultOf(open.padEnd(1_500_000)), 'The request body is not valid JSON.');
});

test('a missing body is treated as an empty object', () => {
  deepEqual(bodyOf(''), bodyOf('{}'));
});

test('a body that is not JSON is rejected', () => {
  for (const text of [' ', '{', '\u0000', '{"events":[}', '\ufeff{"events":[]}']) {
    equal(faultOf(text), 'The request body is not valid JSON.');
  }
  const broken = readBody(Buffer.from([0x7b, 0xff, 0x7d]));
  ok('fault' in broken && broken.fault instanceof ApiError);
});
