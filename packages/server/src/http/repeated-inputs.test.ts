// Which inputs are cached after parsing, and that requests cannot change a cached input.
import { deepEqual, equal, throws } from 'node:assert/strict';
import { test } from 'node:test';
import { CHARS_KEPT_MAX, createInputMemory, INPUTS_KEPT_MAX } from './repeated-inputs.ts';

function counted() {
  const parsed: unknown[] = [];
  const parse = createInputMemory((raw: unknown) => {
    parsed.push(raw);
    if (raw === 'malformed') throw new Error('malformed');
    return { since: raw, tenant_id: ['a', 'b'], limits: [{ limit: 5 }] };
  });
  return { parse, parsed };
}

test('inputs with the same text are parsed only once', () => {
  const { parse, parsed } = counted();
  for (const since of [1, 2, 1, 2, 1]) {
    const expected = { since, tenant_id: ['a', 'b'], limits: [{ limit: 5 }] };
    deepEqual(parse(`/feed?since=${since}`, since), expected);
  }
  deepEqual(parsed, [1, 2]);
});

test('a malformed input is rejected every time', () => {
  const { parse, parsed } = counted();
  for (let time = 0; time < 2; time += 1) throws(() => parse('/feed?x', 'malformed'), /malformed/);
  equal(parsed.length, 2);
});

test('a request cannot change an input that it shares with other requests', () => {
  const { parse } = counted();
  const input = parse('/feed?since=1', 1) as {
    since: number;
    tenant_id: string[];
    limits: { limit: number }[];
  };
  throws(() => {
    input.since = 2;
  }, TypeError);
  throws(() => input.tenant_id.push('c'), TypeError);
  const [rule] = input.limits;
  throws(() => Object.assign(rule ?? {}, { limit: 6 }), TypeError);
});

test('the number and the length of cached inputs are limited', () => {
  const { parse, parsed } = counted();
  for (let since = 0; since <= INPUTS_KEPT_MAX; since += 1) parse(`/feed?since=${since}`, since);
  equal(parsed.length, INPUTS_KEPT_MAX + 1);
  parse(`/feed?since=${INPUTS_KEPT_MAX}`, INPUTS_KEPT_MAX);
  equal(parsed.length, INPUTS_KEPT_MAX + 1, 'the newest is kept');
  parse('/feed?since=0', 0);
  equal(parsed.length, INPUTS_KEPT_MAX + 2, 'the oldest is not');
  const long = `/feed?${'x'.repeat(CHARS_KEPT_MAX)}`;
  for (let time = 0; time < 2; time += 1) parse(long, 'long');
  equal(parsed.length, INPUTS_KEPT_MAX + 4);
});
