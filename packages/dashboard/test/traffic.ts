// Five weeks of usage data, with less traffic at night and at weekends, plus a little traffic in
// earlier months.
import type { Caller, Input } from '@keyrail/testing/harness.ts';
import { batchOf, eventOf } from '@keyrail/testing/telemetry.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const DAYS = 35;
const MONTHS = 5;
const BATCH_EVENTS = 4000;

/** Each event represents about this many requests. */
const REQUESTS_EACH = 24;

type Key = Parameters<typeof eventOf>[0];

const REFUSALS = [
  { status: 429, denial_reason: 'rate_limited' },
  { status: 429, denial_reason: 'rate_limited' },
  { status: 401, denial_reason: 'invalid_key' },
  { status: 401, denial_reason: 'invalid_key' },
  { status: 401, denial_reason: 'invalid_key' },
  { status: 403, denial_reason: 'insufficient_scope' },
  { status: 401, denial_reason: 'missing_key' },
  { status: 401, denial_reason: 'expired_key' },
];

export async function sendTraffic(call: Caller, keys: readonly Key[], now: Date): Promise<void> {
  const chance = seeded(20);
  // The first keys are old enough to count as unused. These and a few other keys get no traffic.
  const used = keys.filter((_, at) => at > 6 && at % 13 !== 8);
  const events: Input[] = [];
  const newest = now.getTime() - 40_000;
  for (let hour = 0; hour < DAYS * 24; hour += 1) {
    const at = newest - hour * HOUR_MS;
    for (let each = 0; each < eventsIn(new Date(at), chance); each += 1) {
      const key = used[Math.floor(used.length * chance() ** 2)];
      if (key) events.push(requestOf(key, new Date(at - chance() * 900_000), chance));
    }
  }
  for (let month = 2; month < MONTHS; month += 1) {
    for (const key of used.slice(0, 34 - month * 5)) {
      events.push(eventOf(key, new Date(newest - month * 30 * DAY_MS), { sample_rate: 1 / 400 }));
    }
  }
  for (let from = 0; from < events.length; from += BATCH_EVENTS) {
    await call('POST /v1/ingest/batch', batchOf(events.slice(from, from + BATCH_EVENTS)));
  }
}

function eventsIn(at: Date, chance: () => number): number {
  const byHour = 1 - Math.cos(((at.getUTCHours() - 2) / 24) * 2 * Math.PI);
  const isWeekend = at.getUTCDay() % 6 === 0;
  return Math.round((8 + 16 * byHour) * (isWeekend ? 0.45 : 1) * (0.85 + 0.3 * chance()));
}

function requestOf(key: Key, at: Date, chance: () => number): Input {
  const luck = chance();
  const common = {
    sample_rate: 1 / Math.ceil(REQUESTS_EACH * (0.4 + 1.2 * chance())),
    duration_ms: 9 + 12 * chance() + (chance() < 0.06 ? 40 + 60 * chance() : 0),
  };
  if (luck < 0.05) {
    return eventOf(key, at, { ...common, ...REFUSALS[Math.floor(chance() * REFUSALS.length)] });
  }
  return eventOf(key, at, { ...common, status: luck < 0.062 ? 500 : 200 });
}

/** Returns pseudo-random numbers from 0 to 1. The same seed always gives the same numbers. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
}
