// Names of hours and days. Hours are shown in local time; days are days of UTC, as they are summed.

const hour = new Intl.DateTimeFormat('en-GB', {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
});
const day = new Intl.DateTimeFormat('en-GB', {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  timeZone: 'UTC',
});
const shortDay = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
const shortUtcDay = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  timeZone: 'UTC',
});
const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const month = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' });

export type Interval = 'hour' | 'day';

/** "Mon 16 Nov, 14:00" or "Mon 16 Nov". */
export const intervalText = (time: number, interval: Interval): string =>
  (interval === 'hour' ? hour : day).format(time);

/** Of a tick: the date at midnight, otherwise the time. */
export function tickText(time: number, interval: Interval): string {
  if (interval === 'day') return shortUtcDay.format(time);
  return new Date(time).getHours() === 0 ? shortDay.format(time) : clock.format(time);
}

/** "November 2026" for `2026-11-01`. */
export const monthText = (text: string): string => month.format(new Date(`${text.slice(0, 7)}-01T00:00:00Z`));

const HOUR_MS = 3_600_000;
export const INTERVAL_MS: Readonly<Record<Interval, number>> = {
  hour: HOUR_MS,
  day: 24 * HOUR_MS,
};

/** The starts of the last intervals in UTC, including the current one, in ascending order. */
export function lastIntervals(interval: Interval, count: number, nowMs: number): number[] {
  const size = INTERVAL_MS[interval];
  const current = Math.floor(nowMs / size) * size;
  return Array.from({ length: count }, (_, at) => current - (count - 1 - at) * size);
}
