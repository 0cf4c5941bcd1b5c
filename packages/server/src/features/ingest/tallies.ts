// Adds up a batch's events, so that thousands of events become a few rows per table. Most events
// share a project and a day, so the totals are kept in nested maps, which don't need a combined key
// to be built for each event.
import { CountedDenial } from '@keyrail/protocol/objects/usage.ts';
import { DAY_MS, HOUR_MS } from '../../base/duration.ts';
import type { Env } from '../../doors/reach.ts';
import { bucketOf, emptyHistogram, type Histogram } from '../usage/histogram.ts';
import type { TelemetryEvent } from './event-check.ts';

type KeyDay = {
  keyId: string;
  day: string;
  requests: number;
  errors: number;
  /** Null if no request was allowed. */
  lastMs: number | null;
};

type TenantMonth = {
  tenantId: string;
  projectId: string;
  env: Env;
  month: string;
  requestCount: number;
  firstSeenMs: number;
  lastSeenMs: number;
};

type Hour = { projectId: string; env: Env; hourMs: number };
type HourTally = Hour & {
  requests: number;
  errors: number;
  degraded: number;
  latency: Histogram;
};
type DenialTally = Hour & { reason: CountedDenial; requests: number };

export type Tallies = {
  keyDays: KeyDay[];
  tenantMonths: TenantMonth[];
  hours: HourTally[];
  denials: DenialTally[];
};

type Day = { day: string; month: string; keys: Map<string, KeyDay> };

type Place = {
  projectId: string;
  env: Env;
  /** Keyed by month, then by tenant. */
  months: Map<string, Map<string, TenantMonth>>;
  hours: Map<number, HourTally>;
  denials: Map<string, DenialTally>;
};

/** Leaves out hours before `hoursFromMs`, because their retention period has ended. */
export function talliesOf(events: readonly TelemetryEvent[], hoursFromMs: number): Tallies {
  const days = new Map<number, Day>();
  const places = { live: new Map<string, Place>(), test: new Map<string, Place>() };
  for (const event of events) {
    const { atMs, env, projectId } = event;
    const day = found(days, Math.floor(atMs / DAY_MS), () => dayAt(atMs));
    const place = found(places[env], projectId, () => placeOf(projectId, env));
    addToKey(day, event);
    addToTenant(place, day.month, event);
    if (atMs >= hoursFromMs) addToHour(place, event);
  }
  const all = [...places.live.values(), ...places.test.values()];
  return {
    keyDays: [...days.values()].flatMap(({ keys }) => [...keys.values()]),
    tenantMonths: all
      .flatMap(({ months }) => [...months.values()])
      .flatMap((tenants) => [...tenants.values()]),
    hours: all.flatMap(({ hours }) => [...hours.values()]),
    denials: all.flatMap(({ denials }) => [...denials.values()]),
  };
}

function found<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let value = map.get(key);
  if (value === undefined) {
    value = make();
    map.set(key, value);
  }
  return value;
}

function dayAt(ms: number): Day {
  const day = new Date(ms).toISOString().slice(0, 10);
  return { day, month: `${day.slice(0, 7)}-01`, keys: new Map() };
}

const placeOf = (projectId: string, env: Env): Place => ({
  projectId,
  env,
  months: new Map(),
  hours: new Map(),
  denials: new Map(),
});

/** A denied request is counted, but doesn't count as a use of its key. */
function addToKey({ day, keys }: Day, event: TelemetryEvent): void {
  const { keyId, atMs, weight, isError, denialReason } = event;
  if (keyId === null) return;
  const sum = found(keys, keyId, () => newKeyDay(keyId, day));
  sum.requests += weight;
  if (isError) sum.errors += weight;
  if (denialReason === null && (sum.lastMs === null || atMs > sum.lastMs)) sum.lastMs = atMs;
}

const newKeyDay = (keyId: string, day: string): KeyDay => ({
  keyId,
  day,
  requests: 0,
  errors: 0,
  lastMs: null,
});

/** A denied request adds nothing to its tenant's month, because it must not be billed. */
function addToTenant(
  { projectId, env, months }: Place,
  month: string,
  { tenantId, atMs, weight, denialReason }: TelemetryEvent,
): void {
  if (tenantId === null || denialReason !== null) return;
  const tenants = found(months, month, () => new Map<string, TenantMonth>());
  const sum = found(tenants, tenantId, () => ({
    tenantId,
    projectId,
    env,
    month,
    requestCount: 0,
    firstSeenMs: atMs,
    lastSeenMs: atMs,
  }));
  sum.requestCount += weight;
  if (atMs < sum.firstSeenMs) sum.firstSeenMs = atMs;
  if (atMs > sum.lastSeenMs) sum.lastSeenMs = atMs;
}

function addToHour({ projectId, env, hours, denials }: Place, event: TelemetryEvent): void {
  const { atMs, weight, denialReason } = event;
  const hourMs = Math.floor(atMs / HOUR_MS) * HOUR_MS;
  const sum = found(hours, hourMs, () => ({
    projectId,
    env,
    hourMs,
    requests: 0,
    errors: 0,
    degraded: 0,
    latency: emptyHistogram(),
  }));
  sum.requests += weight;
  if (event.isError) sum.errors += weight;
  if (event.isDegraded) sum.degraded += weight;
  if (denialReason === null) {
    const bucket = bucketOf(event.durationMs);
    sum.latency[bucket] = (sum.latency[bucket] ?? 0) + weight;
    return;
  }
  const reason = knownReasons.get(denialReason) ?? 'other';
  const denial = found(denials, `${hourMs} ${reason}`, () => ({
    projectId,
    env,
    hourMs,
    reason,
    requests: 0,
  }));
  denial.requests += weight;
}

const knownReasons = new Map<string, CountedDenial>(
  CountedDenial.options.map((reason) => [reason, reason]),
);
