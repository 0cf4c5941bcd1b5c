// The intervals of an overview and their total. Histograms are kept as counts, so that they can be
// added.
import { emptyHistogram, type Histogram } from './histogram.ts';
import type { IntervalRow } from './rows.ts';

export type Figures = {
  requests: number;
  errors: number;
  degraded: number;
  denials: Map<string, number>;
  latency: Histogram;
};

type IntervalFigures = Figures & { start: Date };

export const figuresOf = (row: IntervalRow): IntervalFigures => ({
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

export function totalOf(intervals: readonly Figures[]): Figures {
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
