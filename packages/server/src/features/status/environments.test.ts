// Environments are listed in pages, like everything else, and show whether they are billable.
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { harness } from '@keyrail/testing/harness.ts';

const LINE = 'GET /v1/environments';
const live = { object: 'environment', name: 'live', billable: true };
const testing = { object: 'environment', name: 'test', billable: false };

test('live keys, test keys and members all see both environments', async (t) => {
  const { as } = await harness(t);
  for (const caller of [as.liveKey, as.testKey, as.member]) {
    deepEqual(await caller(LINE), { object: 'list', data: [live, testing] });
  }
});

test('a page respects its limit and links to the next page', async (t) => {
  const { ask, tokens } = await harness(t);
  const headers = { authorization: `Bearer ${tokens.liveKey}` };
  const first = await ask(LINE, { limit: 1 }, headers);
  deepEqual(first.body.data, [live]);
  const cursor = /cursor=([\w-]+)>; rel="next"$/.exec(first.headers.link ?? '')?.[1];
  const second = await ask(LINE, { limit: 1, cursor }, headers);
  deepEqual(second.body.data, [testing]);
  equal(second.headers.link, undefined);
});
