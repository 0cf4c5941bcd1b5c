// Monthly tenant totals are kept forever, so their number per workspace is limited.
import { equal, match } from 'node:assert/strict';
import { test } from 'node:test';
import { harness, messageOf, refused } from '@keyrail/testing/harness.ts';
import { appBeside } from '@keyrail/testing/second-app.ts';
import { batchOf, eventOf } from '@keyrail/testing/telemetry.ts';

const line = 'POST /v1/ingest/batch';
const MONTHS_MAX = 3;
const DAY_MS = 86_400_000;

test('a batch that would add too many tenant months is rejected, but other batches are accepted', async (t) => {
  const app = await harness(t);
  const bounded = appBeside(t, app.testApp, { tenantMonthsMax: MONTHS_MAX });
  const send = bounded.as(app.tokens.liveKey);
  const key = await app.given.key();
  const eventIn = (monthsAgo: number) =>
    eventOf(key, new Date(app.clock.now().getTime() - monthsAgo * 31 * DAY_MS));
  const requests = async () => {
    const { data } = await app.as.liveKey('GET /v1/keys/{id}/usage', { id: key.id, days: 90 });
    return data.reduce((sum, day) => sum + day.requests, 0);
  };
  await send(line, batchOf([0, 1, 2].map(eventIn)));
  const counted = await requests();

  const over = await refused(send(line, batchOf([eventIn(3), eventIn(0)])), 409, 'conflict');
  match(String(messageOf(over)), /monthly usage rows/);
  equal(await requests(), counted, 'none of its events was counted');
  equal(
    (await send(line, batchOf([0, 1, 2].map(eventIn)))).accepted,
    3,
    'known months still count',
  );

  const sent = [eventIn(0), eventIn(5), eventIn(1), eventIn(1960 * 12)].map((event) =>
    send(line, batchOf([event])).then(
      () => 'taken',
      () => 'refused',
    ),
  );
  equal((await Promise.all(sent)).join(' '), 'taken refused taken refused');
  const other = await harness(t);
  const theirs = eventOf(await other.given.key(), other.clock.now());
  equal((await bounded.as(other.tokens.liveKey)(line, batchOf([theirs]))).accepted, 1);
});
