// Usage metrics: active tenants, billing, the overview, and retention.

import { deepEqual, equal, ok } from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { type Harness, harness, type Input, refused } from '@keyrail/testing/harness.ts';
import { purgeTables } from '@keyrail/testing/purge.ts';
import { batchOf, eventOf } from '@keyrail/testing/telemetry.ts';
import { DAY_MS, HOUR_MS } from '../../base/duration.ts';

const ingest = 'POST /v1/ingest/batch';
const billing = 'GET /v1/usage/billing';
const tenants = 'GET /v1/usage/tenants';
const overview = 'GET /v1/usage/overview';
const keyUsage = 'GET /v1/keys/{id}/usage';

/** Sets the clock to the start of a month, so that older events fall into the previous month. */
function atMonthStart({ clock }: Harness): Date {
  const now = new Date(Date.parse('2031-03-01T02:00:00.000Z'));
  clock.shift(now.getTime() - clock.now().getTime());
  return now;
}

const ago = (now: Date, ms: number) => new Date(now.getTime() - ms);

test('events are counted in the UTC day and month in which they occurred', async (t) => {
  const app = await harness(t);
  const now = atMonthStart(app);
  const key = await app.given.key();
  const times = ['2031-03-01T00:30:00+01:00', '2031-03-01T00:00:00Z', '2031-02-28T23:59:59.999Z'];
  const events = times.map((ts) => eventOf(key, now, { ts }));
  await app.as.liveKey(ingest, batchOf(events));
  deepEqual((await app.as.liveKey(keyUsage, { id: key.id })).data, [
    { day: '2031-02-28', requests: 2, errors: 0 },
    { day: '2031-03-01', requests: 1, errors: 0 },
  ]);
  const today = await app.as.liveKey(keyUsage, { id: key.id, days: 1 });
  deepEqual(today, {
    object: 'usage',
    key_id: key.id,
    days: 1,
    data: [{ day: '2031-03-01', requests: 1, errors: 0 }],
  });
  const months = (await app.as.liveKey(tenants, { months: 2 })).data;
  deepEqual(
    months.map(({ month, request_count }) => [month, request_count]),
    [
      ['2031-02-01', 2],
      ['2031-03-01', 1],
    ],
  );
  deepEqual(
    months.map(({ first_seen_at, last_seen_at }) => [first_seen_at, last_seen_at]),
    [
      ['2031-02-28T23:30:00.000Z', '2031-02-28T23:59:59.999Z'],
      ['2031-03-01T00:00:00.000Z', '2031-03-01T00:00:00.000Z'],
    ],
  );
  equal((await app.as.liveKey(tenants)).data.length, 1, 'only this month');
});

test('a tenant is billed once a month, only for allowed live requests', async (t) => {
  const app = await harness(t);
  const now = atMonthStart(app);
  const { as, given } = app;
  const active = await given.key();
  const elsewhere = await given.key({ tenant_id: active.tenant_id });
  const inTest = await given.key({ env: 'test' });
  const denied = await given.key();
  const other = await given.key();
  const before = ago(now, 3 * HOUR_MS);
  await as.liveKey(
    ingest,
    batchOf([
      eventOf(active, now),
      eventOf(elsewhere, now),
      eventOf(inTest, now),
      eventOf(denied, now, { status: 429, denial_reason: 'rate_limited' }),
      eventOf(other, before),
      eventOf(active, before),
      eventOf(active, now, { tenant_id: null, key_id: null, denial_reason: 'missing_key' }),
      eventOf(active, ago(now, 31 * DAY_MS)),
    ]),
  );
  const month = (day: string, active_tenants: number) => ({
    object: 'billable_tenant_month',
    month: day,
    active_tenants,
  });
  const january = month('2031-01-01', 1);
  const february = month('2031-02-01', 2);
  const march = month('2031-03-01', 1);
  deepEqual((await as.liveKey(billing)).data, [january, february, march]);
  deepEqual((await as.liveKey(billing, { months: 2 })).data, [february, march]);
  deepEqual((await as.liveKey(billing, { months: 1 })).data, [march]);
  const [day] = (await as.liveKey(keyUsage, { id: denied.id })).data;
  deepEqual(day, { day: '2031-03-01', requests: 1, errors: 1 });
  const rows = (await as.liveKey(tenants)).data;
  ok(rows.every(({ tenant_id }) => tenant_id !== denied.tenant_id));
  equal(rows.filter(({ tenant_id }) => tenant_id === active.tenant_id).length, 2);
  equal((await as.liveKey(tenants, { env: 'test' })).data.length, 1);
  equal((await as.liveKey(tenants, { env: 'live' })).data.length, 2);
});

test('a test key can read test traffic but not billing', async (t) => {
  const { as, given, clock } = await harness(t);
  const live = await given.key();
  const test = await given.key({ env: 'test' });
  await as.liveKey(ingest, batchOf([eventOf(live, clock.now()), eventOf(test, clock.now())]));
  const seen = (await as.testKey(tenants)).data.map(({ tenant_id }) => tenant_id);
  deepEqual(seen, [test.tenant_id]);
  equal((await as.testKey(overview)).total.requests, 1);
  equal((await as.liveKey(overview)).total.requests, 2);
  for (const line of [tenants, overview] as const) {
    await refused(as.testKey(line, { env: 'live' }), 403, 'forbidden');
  }
  await refused(as.testKey(billing), 403, 'forbidden');
  await refused(as.testKey(keyUsage, { id: live.id }), 403, 'forbidden');
  equal((await as.testKey(keyUsage, { id: test.id })).data.length, 1);
});

test('paging through the months neither skips nor repeats an entry', async (t) => {
  const app = await harness(t);
  const now = atMonthStart(app);
  const events: Input[] = [];
  for (let each = 0; each < 3; each += 1) {
    const live = await app.given.key();
    const { project_id, tenant_id } = live;
    const test = await app.given.key({ project_id, tenant_id, env: 'test' });
    for (const age of [0, 3 * HOUR_MS]) {
      events.push(eventOf(live, ago(now, age)), eventOf(test, ago(now, age)));
    }
  }
  await app.as.liveKey(ingest, batchOf(events));
  for (const line of [tenants, billing] as const) {
    const whole = (await app.as.liveKey(line, { months: 6 })).data;
    equal(whole.length, line === tenants ? 12 : 2);
    const paged: unknown[] = [];
    let cursor: string | undefined;
    do {
      const input = { months: 6, limit: 1, ...(cursor && { cursor }) };
      const headers = { authorization: `Bearer ${app.tokens.liveKey}` };
      const answer = await app.ask(line, input, headers);
      paged.push(...(answer.body.data as unknown[]));
      cursor = decodeURIComponent(/cursor=([^&>]+)/.exec(answer.headers.link ?? '')?.[1] ?? '');
    } while (cursor);
    deepEqual(paged, whole);
  }
});

const near = (actual: number | undefined, exact: number): void =>
  ok(actual !== undefined && Math.abs(actual - exact) <= exact * 0.091, `${actual} for ${exact}`);

test('the overview shows requests, errors, denials and latency by hour and by day', async (t) => {
  const app = await harness(t);
  const now = atMonthStart(app);
  const { as, given } = app;
  const key = await given.key();
  const before = ago(now, 3 * HOUR_MS);
  await as.liveKey(
    ingest,
    batchOf([
      ...Array.from({ length: 99 }, () => eventOf(key, now, { duration_ms: 10 })),
      eventOf(key, now, { duration_ms: 1000, status: 500, degraded: true }),
      eventOf(key, now, { status: 401, denial_reason: 'expired_key', duration_ms: 0.3 }),
      eventOf(key, now, { status: 403, denial_reason: 'an invention', sample_rate: 0.25 }),
      eventOf(key, before, { duration_ms: 40 }),
      eventOf(key, ago(now, 40 * DAY_MS)),
    ]),
  );
  const hourly = await as.liveKey(overview);
  equal(hourly.interval, 'hour');
  const [first, last] = hourly.data;
  ok(first && last && hourly.data.length === 2);
  deepEqual([first.start, last.start], ['2031-02-28T23:00:00.000Z', '2031-03-01T02:00:00.000Z']);
  deepEqual(
    { ...last, latency_ms: null },
    {
      start: last.start,
      requests: 105,
      errors: 6,
      degraded: 1,
      denials: [
        { reason: 'expired_key', requests: 1 },
        { reason: 'other', requests: 4 },
      ],
      latency_ms: null,
    },
  );
  near(last.latency_ms?.p50, 10);
  near(last.latency_ms?.p99, 10);
  near(hourly.total.latency_ms?.p90, 10);
  near(first.latency_ms?.p50, 40);
  equal(hourly.total.requests, 106);

  const daily = await as.liveKey(overview, { interval: 'day', count: 35 });
  deepEqual(
    daily.data.map(({ start, requests }) => [start, requests]),
    [
      ['2031-02-28T00:00:00.000Z', 1],
      ['2031-03-01T00:00:00.000Z', 105],
    ],
  );
  equal((await as.liveKey(overview, { count: 1 })).total.requests, 105);
  equal((await as.liveKey(overview, { project_id: randomUUID() })).data.length, 0);
  equal((await as.liveKey(overview, { project_id: key.project_id })).data.length, 2);
  const empty = (await as.liveKey(overview, { env: 'test' })).total;
  deepEqual(empty, { requests: 0, errors: 0, degraded: 0, denials: [], latency_ms: null });

  app.clock.shift(-20 * DAY_MS); // the range would now include the event from 40 days ago
  equal((await as.liveKey(overview, { interval: 'day', count: 35 })).total.requests, 0);
});

test('the overview’s time range is limited', async (t) => {
  const { as } = await harness(t);
  await refused(as.liveKey(overview, { count: 169 }), 400, 'invalid_request');
  await refused(as.liveKey(overview, { interval: 'day', count: 36 }), 400, 'invalid_request');
  await refused(as.liveKey(overview, { interval: 'week' }), 400, 'invalid_request');
  equal((await as.liveKey(overview, { count: 168 })).data.length, 0);
});

test('expired metrics are removed, but each key’s last use is kept', async (t) => {
  const app = await harness(t);
  const { as, given, clock } = app;
  equal(app.testApp.app.worker.usageHoursKeptDays, 35);
  const tables = ['usage_hours', 'usage_denials', 'ingest_batches', 'usage_key_days'];
  const purge = () => purgeTables(app.testApp, ...tables);
  const busy = await given.key();
  const idle = await given.key();
  const began = clock.now();
  const batch_id = randomUUID();
  const denied = { denial_reason: 'invalid_key' };
  await as.liveKey(
    ingest,
    batchOf([eventOf(busy, began, denied), eventOf(idle, began)], { batch_id }),
  );
  const counts = async () => {
    const total = (await as.liveKey(overview, { interval: 'day', count: 35 })).total;
    const again = await as.liveKey(ingest, batchOf([], { batch_id }));
    const days = (await as.liveKey(keyUsage, { id: busy.id, days: 90 })).data.length;
    return [total.requests, total.denials.length, again.accepted, days];
  };
  await purge();
  deepEqual(await counts(), [2, 1, 2, 1], 'nothing has expired yet');

  clock.shift(8 * DAY_MS);
  await purge();
  deepEqual(await counts(), [2, 1, 0, 1], 'the receipt is removed');

  clock.shift(28 * DAY_MS);
  await purge();
  clock.shift(-10 * DAY_MS); // the range would now include the removed metrics
  deepEqual((await counts()).slice(0, 2), [0, 0]);

  clock.shift(80 * DAY_MS);
  const deniedLater = eventOf(idle, clock.now(), denied);
  await as.liveKey(ingest, batchOf([eventOf(busy, clock.now()), deniedLater]));
  await purge();
  clock.shift(-30 * DAY_MS);
  const days = (id: string) => as.liveKey(keyUsage, { id, days: 90 });
  equal((await days(busy.id)).data.length, 0);
  equal((await days(idle.id)).data.length, 1);
  const { last_used_at } = await as.liveKey('GET /v1/keys/{id}', { id: idle.id });
  equal(last_used_at, began.toISOString());
});

test('a denied request does not count as a use of its key', async (t) => {
  const { as, given, clock } = await harness(t);
  const key = await given.key();
  const began = clock.now();
  const denied = { status: 429, denial_reason: 'rate_limited' };
  const lastUse = async (...events: ReturnType<typeof eventOf>[]) => {
    await as.liveKey(ingest, batchOf(events));
    const { last_used_at } = await as.liveKey('GET /v1/keys/{id}', { id: key.id });
    const listed = (await as.liveKey('GET /v1/keys')).data.find(({ id }) => id === key.id);
    equal(listed?.last_used_at, last_used_at);
    return last_used_at;
  };
  const later = (ms: number) => new Date(began.getTime() + ms);
  clock.shift(3 * DAY_MS);
  equal(await lastUse(eventOf(key, began, denied)), null);
  equal(await lastUse(eventOf(key, began), eventOf(key, later(1), denied)), began.toISOString());
  equal(await lastUse(eventOf(key, later(2), denied)), began.toISOString(), 'on the same day');
  equal(await lastUse(eventOf(key, later(2 * DAY_MS), denied)), began.toISOString());
  equal(await lastUse(eventOf(key, later(DAY_MS))), later(DAY_MS).toISOString());
});
