// Which secret keys may use the relay, and how many requests to the control plane an unknown key
// can trigger.
import { deepEqual, equal, notEqual } from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { mintCredential } from '@keyrail/protocol/wire/key-format.ts';
import { manualTime } from '../../test/manual-time.ts';
import { createMembers } from './members.ts';
import type { Answer, Upstream } from './upstream.ts';

const bearing = (kind: 'secret_key' | 'api_key' = 'secret_key') =>
  `Bearer ${mintCredential(kind, 'live', randomBytes).secret}`;

const answerOf = (status: number): Answer => ({
  status,
  headers: [],
  body: Buffer.alloc(0),
  sent: '',
  version: null,
});

function scene(status: number) {
  const clock = manualTime();
  const asked: (string | undefined)[] = [];
  const ask: Upstream['ask'] = async ({ headers }) => {
    asked.push(headers.authorization);
    return answerOf(status);
  };
  const { refusal } = createMembers({ ask }, 'p', clock);
  const statusOf = async (credential: string) => {
    const refused = await refusal(credential);
    return refused === null || typeof refused === 'string' ? refused : refused.status;
  };
  return { clock, asked, statusOf };
}

const good = bearing();
const malformed = {
  'an empty header': '',
  'a key without a scheme': good.slice('Bearer '.length),
  'a different scheme': good.replace('Bearer', 'Basic'),
  'a key with a wrong checksum': `${good.slice(0, -1)}${good.endsWith('0') ? '1' : '0'}`,
  'an API key': bearing('api_key'),
  'a truncated key': good.slice(0, -9),
  'two keys': `${good}, ${good}`,
  'a key with trailing text': `${good} x`,
  'a header with many spaces': `Bearer${' '.repeat(60_000)}x`,
};

for (const [name, credential] of Object.entries(malformed)) {
  test(`${name} is rejected without a request to the control plane`, async () => {
    const { asked, statusOf } = scene(304);
    notEqual(await statusOf(credential), null);
    deepEqual(asked, []);
  });
}

test('a valid secret key is checked with the control plane only once', async () => {
  const { asked, statusOf } = scene(304);
  for (const credential of [good, good, good.replace('Bearer', 'bearer')]) {
    equal(await statusOf(credential), null);
  }
  equal(asked.length, 2, 'once for each spelling');
});

test('a rejection is cached for a second', async () => {
  const { clock, asked, statusOf } = scene(401);
  deepEqual([await statusOf(good), await statusOf(good)], [401, 401]);
  equal(asked.length, 1);
  await clock.pass(1_000);
  equal(await statusOf(good), 401);
  equal(asked.length, 2);
});

test("the control plane's failures are not cached", async () => {
  const { asked, statusOf } = scene(503);
  deepEqual([await statusOf(good), await statusOf(good)], [503, 503]);
  equal(asked.length, 2);
});

test('the number of cached rejections is bounded', async () => {
  const { asked, statusOf } = scene(404);
  const many = Array.from({ length: 300 }, () => bearing());
  for (const credential of [...many, ...many]) equal(await statusOf(credential), 404);
  equal(asked.length, 600, 'the oldest have been dropped by the time they are used again');
});
