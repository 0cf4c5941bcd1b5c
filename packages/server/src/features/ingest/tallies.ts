// A batch added up: thousands of events become a few rows for each table of sums.
import { DenialReason } from '@keyrail/protocol/objects/usage.ts';
import { DAY_MS, HOUR_MS } from '../../base/duration.ts';
import type { Env } from '../../doors/reach.ts';
import { bucketOf, emptyHistogram, type Histogram } from '../usage/histogram.ts';
import type { TelemetryEvent } from './event-check.ts';

export type KeyDay = {
  keyId: string;
  day: string;
  requests: number;
  errors: number;
  lastAt: Date;
};

export type TenantMonth = {
  tenantId: string;
  projectId: string;
  env: Env;
  month: string;
  requestCount: number;
  firstSeenAt: Date;
  lastSeenAt: Date;
};

type Hour = { projectId: string; env: Env; hour: Date };
export type HourTally = Hour & {
  requests: number;
  errors: number;
  degraded: number;
  latency: Histogram;
};
export type DenialTally = Hour & { reason: DenialReason; requests: number };

export type Tallies = {
  keyDays: KeyDay[];
  tenantMonths: TenantMonth[];
  hours: HourTally[];
  denials: DenialTally[];
};

/** Hours before `hoursFrom` are past their time: nobody could read them, so nobody writes them. */
export function talliesOf(events: readonly TelemetryEvent[], hoursFrom: Date): Tallies {
  const keyDays = new Map<string, KeyDay>();
  const tenantMonths = new Map<string, TenantMonth>();
  const hours = new Map<string, HourTally>();
  const denials = new Map<string, DenialTally>();
  const dayOf = calendar();
  for (const event of events) {
    const day = dayOf(event.at);
    addToKeyDay(keyDays, event, day);
    addToTenantMonth(tenantMonths, event, `${day.slice(0, 7)}-01`);
    if (event.at >= hoursFrom) addToHour(hours, denials, event);
  }
  return {
    keyDays: [...keyDays.values()],
    tenantMonths: [...tenantMonths.values()],
    hours: [...hours.values()],
    denials: [...denials.values()],
  };
}

/** Events of one batch are mostly of one day, which is printed once. */
function calendar(): (at: Date) => string {
  const printed = new Map<number, string>();
  return (at) => {
    const number = Math.floor(at.getTime() / DAY_MS);
    const known = printed.get(number);
    if (known !== undefined) return known;
    const day = at.toISOString().slice(0, 10);
    printed.set(number, day);
    return day;
  };
}

function addToKeyDay(sums: Map<string, KeyDay>, event: TelemetryEvent, day: string): void {
  const { keyId, at, weight } = event;
  if (keyId === null) return;
  const name = keyId + day;
  let sum = sums.get(name);
  if (!sum) {
    sum = { keyId, day, requests: 0, errors: 0, lastAt: at };
    sums.set(name, sum);
  }
  sum.requests += weight;
  if (event.isError) sum.errors += weight;
  if (at > sum.lastAt) sum.lastAt = at;
}

/** A request that was refused makes no customer active. */
function addToTenantMonth(
  sums: Map<string, TenantMonth>,
  { tenantId, projectId, env, at, weight, denialReason }: TelemetryEvent,
  month: string,
): void {
  if (tenantId === null || denialReason !== null) return;
  const name = tenantId + projectId + env + month;
  let sum = sums.get(name);
  if (!sum) {
    const place = { tenantId, projectId, env, month };
    sum = { ...place, requestCount: 0, firstSeenAt: at, lastSeenAt: at };
    sums.set(name, sum);
  }
  sum.requestCount += weight;
  if (at < sum.firstSeenAt) sum.firstSeenAt = at;
  if (at > sum.lastSeenAt) sum.lastSeenAt = at;
}

function addToHour(
  hours: Map<string, HourTally>,
  denials: Map<string, DenialTally>,
  event: TelemetryEvent,
): void {
  const { projectId, env, at, weight, denialReason } = event;
  const startMs = Math.floor(at.getTime() / HOUR_MS) * HOUR_MS;
  const name = `${projectId}${env}${startMs}`;
  let sum = hours.get(name);
  if (!sum) {
    const place = { projectId, env, hour: new Date(startMs) };
    sum = { ...place, requests: 0, errors: 0, degraded: 0, latency: emptyHistogram() };
    hours.set(name, sum);
  }
  sum.requests += weight;
  if (event.isError) sum.errors += weight;
  if (event.isDegraded) sum.degraded += weight;
  if (denialReason === null) {
    const bucket = bucketOf(event.durationMs);
    sum.latency[bucket] = (sum.latency[bucket] ?? 0) + weight;
    return;
  }
  const reason = knownReasons.get(denialReason) ?? 'other';
  const denial = denials.get(name + reason);
  if (denial) denial.requests += weight;
  else denials.set(name + reason, { projectId, env, hour: sum.hour, reason, requests: weight });
}

const knownReasons = new Map<string, DenialReason>(
  DenialReason.options.map((reason) => [reason, reason]),
);
