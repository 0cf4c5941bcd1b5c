// Sends random batches, some of them twice and some of them invalid. The model is a list of the
// accepted events, and every number from the API must equal a count over that list.
import { deepEqual, equal } from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { type Harness, harness, type Input, refused } from '@keyrail/testing/harness.ts';
import { type Chance, chanceFrom } from '@keyrail/testing/seeded-scheduler.ts';
import { batchOf, eventOf } from '@keyrail/testing/telemetry.ts';

const ingest = 'POST /v1/ingest/batch';
const DAY_MS = 86_400_000;
const SEEDS = Number(process.env.MODEL_SEEDS ?? 3);
const BATCHES = 12;

type Key = Awaited<ReturnType<Harness['given']['key']>>;
type Counted = {
  key: Key | null;
  tenant: Key;
  day: string;
  isDenied: boolean;
  isError: boolean;
  weight: number;
};

/** One divided by each sample rate is a whole number, so sums need no rounding. */
const rates = [1, 1, 0.5, 0.25, 0.2, 0.1];

async function aStage(app: Harness): Promise<{ keys: Key[]; foreign: Key }> {
  const { given } = app;
  const first = await given.key();
  const { project_id, tenant_id } = first;
  const keys = [
    first,
    await given.key({ project_id, tenant_id }),
    await given.key({ tenant_id }),
    await given.key({ project_id, env: 'test' }),
    await given.key(),
  ];
  return { keys, foreign: { ...first, id: randomUUID() } };
}

function anEvent(
  chance: Chance,
  keys: readonly Key[],
  now: Date,
): { sent: Input; counted: Counted } {
  const tenant = chance.pick(keys);
  const key = chance.percent(85) ? tenant : null;
  const at = new Date(now.getTime() - chance.below(100) * (DAY_MS / 2));
  const status = chance.pick([200, 201, 304, 400, 429, 500]);
  const reason = chance.percent(25) ? chance.pick(['rate_limited', 'made up', '']) : null;
  const rate = chance.pick(rates);
  return {
    sent: eventOf(tenant, at, {
      ...(key === null && { key_id: null }),
      status,
      denial_reason: reason,
      sample_rate: rate,
    }),
    counted: {
      key,
      tenant,
      day: at.toISOString().slice(0, 10),
      isDenied: reason !== null,
      isError: status >= 400,
      weight: 1 / rate,
    },
  };
}

/** Sends a series of batches, and returns the events that the server should have counted. */
async function sendRun(app: Harness, chance: Chance, stage: Awaited<ReturnType<typeof aStage>>) {
  const model: Counted[] = [];
  const sentBefore: Input[] = [];
  for (let each = 0; each < BATCHES; each += 1) {
    const again = sentBefore.length > 0 && chance.percent(25);
    if (again) {
      await app.as.liveKey(ingest, chance.pick(sentBefore));
      continue;
    }
    const made = Array.from({ length: chance.below(40) }, () =>
      anEvent(chance, stage.keys, app.clock.now()),
    );
    const events = made.map(({ sent }) => sent);
    const batch = batchOf(events, { batch_id: randomUUID() });
    if (chance.percent(20)) {
      const bad = chance.percent(50)
        ? { ...events[0], ts: 'never' }
        : eventOf(stage.foreign, app.clock.now());
      const spoilt = { ...batch, events: [...events, bad] };
      await refused(app.as.liveKey(ingest, spoilt), 400, 'invalid_request');
      continue;
    }
    const receipt = await app.as.liveKey(ingest, batch);
    equal(receipt.accepted, events.length);
    sentBefore.push(batch);
    model.push(...made.map(({ counted }) => counted));
  }
  return model;
}

const sum = (events: readonly Counted[]) => events.reduce((total, { weight }) => total + weight, 0);

function grouped<T>(
  events: readonly Counted[],
  by: (event: Counted) => string,
  of: (group: Counted[]) => T,
) {
  const groups = Object.groupBy(events, by);
  return Object.fromEntries(Object.entries(groups).map(([name, group = []]) => [name, of(group)]));
}

async function holdAgainst(app: Harness, model: readonly Counted[], { keys }: { keys: Key[] }) {
  const { as } = app;
  const today = app.clock.now().toISOString().slice(0, 10);
  for (const key of keys) {
    const own = model.filter((event) => event.key === key);
    const { data } = await as.liveKey('GET /v1/keys/{id}/usage', { id: key.id, days: 90 });
    deepEqual(
      Object.fromEntries(data.map(({ day, requests, errors }) => [day, [requests, errors]])),
      grouped(
        own,
        ({ day }) => day,
        (group) => [sum(group), sum(group.filter(({ isError }) => isError))],
      ),
    );
  }
  const admitted = model.filter(({ isDenied }) => !isDenied);
  const { data: months } = await as.liveKey('GET /v1/usage/tenants', { months: 24 });
  deepEqual(
    Object.fromEntries(
      months.map((row) => [
        `${row.tenant_id} ${row.project_id} ${row.env} ${row.month}`,
        row.request_count,
      ]),
    ),
    grouped(
      admitted,
      ({ tenant: { tenant_id, project_id, env }, day }) =>
        `${tenant_id} ${project_id} ${env} ${day.slice(0, 7)}-01`,
      sum,
    ),
  );
  const { data: billed } = await as.liveKey('GET /v1/usage/billing', { months: 24 });
  deepEqual(
    Object.fromEntries(billed.map(({ month, active_tenants }) => [month, active_tenants])),
    grouped(
      admitted.filter(({ tenant }) => tenant.env === 'live'),
      ({ day }) => `${day.slice(0, 7)}-01`,
      (group) => new Set(group.map(({ tenant }) => tenant.tenant_id)).size,
    ),
  );
  const charts = await as.liveKey('GET /v1/usage/overview', { interval: 'day', count: 34 });
  const from = new Date(Date.parse(today) - 33 * DAY_MS).toISOString().slice(0, 10);
  deepEqual(
    Object.fromEntries(charts.data.map(({ start, requests }) => [start.slice(0, 10), requests])),
    grouped(
      model.filter(({ day }) => day >= from),
      ({ day }) => day,
      sum,
    ),
  );
}

for (let seed = 1; seed <= SEEDS; seed += 1) {
  test(`all metrics match the accepted events (seed ${seed})`, async (t) => {
    const app = await harness(t);
    const chance = chanceFrom(seed);
    // Starts at noon, so that the run ends on the same day.
    app.clock.shift(DAY_MS * 1.5 - (app.clock.now().getTime() % DAY_MS));
    const stage = await aStage(app);
    const model = await sendRun(app, chance, stage);
    await holdAgainst(app, model, stage);
  });
}
