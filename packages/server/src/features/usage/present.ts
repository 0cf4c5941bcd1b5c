// Turns sums into usage objects. Only this file rounds fractions of requests.
import {
  type BillableTenantMonth,
  CountedDenial,
  type TenantActivityMonth,
  type Usage,
  type UsageOverview,
} from '@keyrail/protocol/objects/usage.ts';
import { wireTime } from '../../base/wire-time.ts';
import { emptyHistogram, type Histogram, percentileOf } from './histogram.ts';
import type { KeyUsage } from './read-key-usage.ts';
import type { IntervalRow, MonthRow, TenantMonthRow } from './rows.ts';

// Sums are capped at the largest integer that a JavaScript number can represent exactly.
const counted = (sum: number): number => Math.min(Math.round(sum), Number.MAX_SAFE_INTEGER);

export const presentKeyUsage = ({ keyId, days, rows }: KeyUsage): Usage => ({
  object: 'usage',
  key_id: keyId,
  days,
  data: rows.map(({ day, requests, errors }) => ({
    day,
    requests: counted(requests),
    errors: counted(errors),
  })),
});

export const presentBillableMonth = (row: MonthRow): BillableTenantMonth => ({
  object: 'billable_tenant_month',
  month: row.month,
  active_tenants: row.activeTenants,
});

export const presentTenantMonth = (row: TenantMonthRow): TenantActivityMonth => ({
  object: 'tenant_activity_month',
  tenant_id: row.tenantId,
  project_id: row.projectId,
  env: row.env,
  month: row.month,
  request_count: counted(row.requestCount),
  first_seen_at: wireTime(row.firstSeenAt),
  last_seen_at: wireTime(row.lastSeenAt),
});

export function presentOverview(
  interval: 'hour' | 'day',
  rows: readonly IntervalRow[],
): UsageOverview {
  const intervals = rows.map(figuresOf);
  return {
    object: 'usage_overview',
    interval,
    total: presentFigures(totalOf(intervals)),
    data: intervals.map(({ start, ...figures }) => ({
      start: wireTime(start),
      ...presentFigures(figures),
    })),
  };
}

/** An interval's metrics. Histograms are kept as counts, so that they can be added. */
type Figures = {
  requests: number;
  errors: number;
  degraded: number;
  denials: Map<string, number>;
  latency: Histogram;
};

type IntervalFigures = Figures & { start: Date };

const figuresOf = (row: IntervalRow): IntervalFigures => ({
  start: row.start,
  requests: row.requests,
  errors: row.errors,
  degraded: row.degraded,
  denials: new Map(Object.entries(row.denials ?? {})),
  latency: histogramOf(row.latency ?? {}),
});

/** The database numbers array elements from 1. */
const histogramOf = (counts: Record<string, number>): Histogram =>
  emptyHistogram().map((_, bucket) => counts[bucket + 1] ?? 0);

function totalOf(intervals: readonly Figures[]): Figures {
  const total: Figures = {
    requests: 0,
    errors: 0,
    degraded: 0,
    denials: new Map(),
    latency: emptyHistogram(),
  };
  for (const { requests, errors, degraded, denials, latency } of intervals) {
    total.requests += requests;
    total.errors += errors;
    total.degraded += degraded;
    for (const [reason, count] of denials) {
      total.denials.set(reason, (total.denials.get(reason) ?? 0) + count);
    }
    total.latency = total.latency.map((count, bucket) => count + (latency[bucket] ?? 0));
  }
  return total;
}

const presentFigures = ({ requests, errors, degraded, denials, latency }: Figures) => ({
  requests: counted(requests),
  errors: counted(errors),
  degraded: counted(degraded),
  denials: CountedDenial.options.flatMap((reason) => {
    const sum = denials.get(reason);
    return sum === undefined ? [] : [{ reason, requests: counted(sum) }];
  }),
  latency_ms: latencyIn(latency),
});

function latencyIn(histogram: Histogram): UsageOverview['total']['latency_ms'] {
  const [p50, p90, p99] = [0.5, 0.9, 0.99].map((share) => percentileOf(histogram, share));
  if (p50 == null || p90 == null || p99 == null) return null;
  return { p50, p90, p99 };
}
