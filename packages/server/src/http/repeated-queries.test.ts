// Which queries are parsed again, and that requests cannot change what they share.
import { deepEqual, equal, throws } from 'node:assert/strict';
import { test } from 'node:test';
import { CHARS_KEPT_MAX, createQueryMemory, QUERIES_KEPT_MAX } from './repeated-queries.ts';

function counted() {
  const parsed: unknown[] = [];
  const parse = createQueryMemory((values) => {
    parsed.push(values);
    if (values === 'malformed') throw new Error('malformed');
    return { since: values, tenant_id: ['a', 'b'] };
  });
  return { parse, parsed };
}

test('a query is parsed once for each target', () => {
  const { parse, parsed } = counted();
  for (const since of [1, 2, 1, 2, 1]) {
    deepEqual(parse(`/feed?since=${since}`, since), { since, tenant_id: ['a', 'b'] });
  }
  deepEqual(parsed, [1, 2]);
});

test('a malformed query is rejected each time', () => {
  const { parse, parsed } = counted();
  for (let time = 0; time < 2; time += 1) throws(() => parse('/feed?x', 'malformed'), /malformed/);
  equal(parsed.length, 2);
});

test('requests cannot change a query shared with others', () => {
  const { parse } = counted();
  const query = parse('/feed?since=1', 1) as { since: number; tenant_id: string[] };
  throws(() => {
    query.since = 2;
  }, TypeError);
  throws(() => query.tenant_id.push('c'), TypeError);
});

test('the number of kept queries and of their characters is limited', () => {
  const { parse, parsed } = counted();
  for (let since = 0; since <= QUERIES_KEPT_MAX; since += 1) parse(`/feed?since=${since}`, since);
  equal(parsed.length, QUERIES_KEPT_MAX + 1);
  parse(`/feed?since=${QUERIES_KEPT_MAX}`, QUERIES_KEPT_MAX);
  equal(parsed.length, QUERIES_KEPT_MAX + 1, 'the newest is kept');
  parse('/feed?since=0', 0);
  equal(parsed.length, QUERIES_KEPT_MAX + 2, 'the oldest is not');
  const long = `/feed?${'x'.repeat(CHARS_KEPT_MAX)}`;
  for (let time = 0; time < 2; time += 1) parse(long, 'long');
  equal(parsed.length, QUERIES_KEPT_MAX + 4);
});
