// The UTC hours, days and months for which traffic is totalled.
import { DAY_MS, HOUR_MS } from '@keyrail/protocol/wire/durations.ts';

const month = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' });

export type Interval = 'hour' | 'day';

/** The name of a month, such as "November 2026" for `2026-11-01`. */
export const monthText = (text: string): string =>
  month.format(new Date(`${text.slice(0, 7)}-01T00:00:00Z`));

const INTERVAL_MS: Readonly<Record<Interval, number>> = {
  hour: HOUR_MS,
  day: DAY_MS,
};

/**
 * The UTC start times of the most recent intervals, oldest first. The last one is the current
 * interval.
 */
export function lastIntervals(interval: Interval, count: number, nowMs: number): number[] {
  const size = INTERVAL_MS[interval];
  const current = Math.floor(nowMs / size) * size;
  return Array.from({ length: count }, (_, at) => current - (count - 1 - at) * size);
}

/** The most recent days, including today, in the format used in usage data: "2026-11-01". */
export const lastDays = (count: number, nowMs: number): string[] =>
  lastIntervals('day', count, nowMs).map((at) => new Date(at).toISOString().slice(0, 10));
