import { equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { createRecentKeys } from './recent-keys.ts';

const GENERATION = 100;

test('a flood of keys uses a bounded amount of memory and does not evict a key in use', () => {
  const keys = createRecentKeys<number>(GENERATION);
  keys.set('busy', -1);
  for (let at = 0; at < 10_000; at += 1) {
    keys.set(`flood ${at}`, at);
    ok(keys.values().length <= 2 * GENERATION);
    if (at % 50 === 0) equal(keys.get('busy'), -1, `after ${at} others`);
  }
  equal(keys.get('flood 0'), undefined, 'an unused key is dropped');
  equal(keys.get('flood 9999'), 9999);
});
