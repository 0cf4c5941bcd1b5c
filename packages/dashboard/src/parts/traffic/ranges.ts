// The time range for the traffic charts. It is stored in the URL.
import type { Answer } from '@keyrail/client';
import { type Interval, lastIntervals } from '../../ui/charts/intervals.ts';
import { texts } from './texts.ts';

export type Overview = Answer<'GET /v1/usage/overview'>;
export type Range = '24h' | '7d' | '35d';

type RangeFacts = {
  interval: Interval;
  count: number;
  /**
   * The interval to load for a comparison with the previous period, and the number of intervals in
   * a period. Null if the API has no data for the previous period.
   */
  before: { interval: Interval; period: number } | null;
};

const DAY_HOURS = 24;

// The API has hourly data for the last 7 days and daily data for the last 35, so 35 days can't be
// compared with an earlier period.
export const rangeFacts: Readonly<Record<Range, RangeFacts>> = {
  '24h': { interval: 'hour', count: DAY_HOURS, before: { interval: 'hour', period: DAY_HOURS } },
  '7d': { interval: 'hour', count: 7 * DAY_HOURS, before: { interval: 'day', period: 7 } },
  '35d': { interval: 'day', count: 35, before: null },
};

export const rangeOptions: readonly { value: Range; label: string }[] = [
  { value: '24h', label: texts.ranges['24h'] },
  { value: '7d', label: texts.ranges['7d'] },
  { value: '35d', label: texts.ranges['35d'] },
];

export const parseRange = (text: string | undefined): Range =>
  text === '7d' || text === '35d' ? text : '24h';

type Sums = { requests: number; errors: number; denied: number };

export const deniedOf = ({ denials }: { denials: Overview['total']['denials'] }): number =>
  denials.reduce((sum, { requests }) => sum + requests, 0);

/** Totals for the last full period and the period before. The current interval isn't included. */
export function periodsOf(
  { data: points }: Overview,
  { interval, period }: { interval: Interval; period: number },
  nowMs: number,
): { last: Sums; before: Sums } {
  const starts = lastIntervals(interval, 2 * period + 1, nowMs);
  const within = (from: number | undefined, to: number | undefined): Sums => {
    const sums = { requests: 0, errors: 0, denied: 0 };
    for (const point of points) {
      const at = Date.parse(point.start);
      if (at < (from ?? 0) || at >= (to ?? 0)) continue;
      sums.requests += point.requests;
      sums.errors += point.errors;
      sums.denied += deniedOf(point);
    }
    return sums;
  };
  return {
    last: within(starts[period], starts[2 * period]),
    before: within(starts[0], starts[period]),
  };
}
