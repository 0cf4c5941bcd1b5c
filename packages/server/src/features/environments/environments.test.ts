// The environments are a list like any other: what is billable, page by page.
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { bench } from '../../../../../tests/bench.ts';

const LINE = 'GET /v1/environments';
const live = { object: 'environment', name: 'live', billable: true };
const testing = { object: 'environment', name: 'test', billable: false };

test('both environments are listed, for either kind of key', async (t) => {
  const { as } = await bench(t);
  for (const caller of [as.liveKey, as.testKey, as.member]) {
    deepEqual(await caller(LINE), { object: 'list', data: [live, testing] });
  }
});

test('a page holds no more than was asked for, and names the next one', async (t) => {
  const { ask, tokens } = await bench(t);
  const headers = { authorization: `Bearer ${tokens.liveKey}` };
  const first = await ask(LINE, { limit: 1 }, headers);
  deepEqual(first.body.data, [live]);
  const cursor = /cursor=([\w-]+)>; rel="next"$/.exec(first.headers.link ?? '')?.[1];
  const second = await ask(LINE, { limit: 1, cursor }, headers);
  deepEqual(second.body.data, [testing]);
  equal(second.headers.link, undefined);
});
