// Formats times and durations. Times are shown in local time on a 24-hour clock, with the time
// zone. Tooltips and exports also show UTC.
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '@keyrail/protocol/wire/durations.ts';

const steps: readonly (readonly [string, number])[] = [
  ['y', 365 * DAY_MS],
  ['mo', 30 * DAY_MS],
  ['d', DAY_MS],
  ['h', HOUR_MS],
  ['min', MINUTE_MS],
  ['s', SECOND_MS],
];

const formatOf = (format: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat('en-GB', format);
const toSecond = { dateStyle: 'medium', timeStyle: 'long' } as const;
const toMinute = { hour: '2-digit', minute: '2-digit' } as const;
const zoned = { ...toMinute, timeZoneName: 'short' } as const;
const ofYear = { day: 'numeric', month: 'short' } as const;

const absolute = formatOf(toSecond);
const universal = formatOf({ ...toSecond, timeZone: 'UTC' });
const clock = formatOf(toMinute);
const zonedClock = formatOf(zoned);
const dayOfYear = formatOf(ofYear);
const moment = formatOf({ weekday: 'short', ...ofYear, ...zoned });

/**
 * Relative times such as "3 min ago", "in 2 d" or "now". The units are the same as for durations.
 */
export function relativeTime(atMs: number, nowMs: number): string {
  const ms = atMs - nowMs;
  if (Math.abs(ms) < 5 * SECOND_MS) return 'now';
  const [unit, size] = steps.find(([, each]) => Math.abs(ms) >= each) ?? ['s', SECOND_MS];
  const span = `${Math.trunc(Math.abs(ms) / size)} ${unit}`;
  return ms < 0 ? `${span} ago` : `in ${span}`;
}

/** A date and time with its zone: "19 Nov 2026, 14:05:07 CET". */
export const absoluteTime = (at: Date): string => absolute.format(at);

/** For a tooltip: "19 Nov 2026, 14:05:07 CET (19 Nov 2026, 13:05:07 UTC)". */
export function tooltipTime(at: Date): string {
  const local = absolute.format(at);
  const utc = universal.format(at);
  return local === utc ? utc : `${local} (${utc})`;
}

/** A time of day with its zone, such as "14:05 CET". */
export const timeOfDay = (at: Date): string => zonedClock.format(at);
/** A time of day such as "14:05", for places where the zone is shown separately. */
export const clockText = (at: Date): string => clock.format(at);
/** The zone's abbreviation, such as "CET", or its offset if it has none, such as "GMT+5:30". */
export const zoneText = (at: Date): string =>
  zonedClock.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? '';
/** A date without its year, such as "19 Nov", for times within the last few weeks. */
export const dayText = (at: Date): string => dayOfYear.format(at);

/** For use in a sentence: "today 14:05 CET" or "Thu 19 Nov, 14:05 CET". */
export function momentText(at: Date, nowMs: number): string {
  const isToday = at.toDateString() === new Date(nowMs).toDateString();
  return isToday ? `today ${timeOfDay(at)}` : moment.format(at);
}

/** A duration in its largest unit, such as "41 min" or "3 d", for labels. */
export const longestUnit = (ms: number): string =>
  durationText(ms).split(' ').slice(0, 2).join(' ');

/** A duration in at most two units, such as "41 min" or "3 d 4 h". */
export function durationText(ms: number): string {
  if (ms < SECOND_MS) return `${Math.round(ms)} ms`;
  const parts: string[] = [];
  let rest = ms;
  for (const [name, size] of [
    ['d', DAY_MS],
    ['h', HOUR_MS],
    ['min', MINUTE_MS],
    ['s', SECOND_MS],
  ] as const) {
    const count = Math.floor(rest / size);
    if (count > 0) parts.push(`${count} ${name}`);
    rest -= count * size;
    if (parts.length === 2) break;
  }
  return parts.join(' ');
}

const whole = new Intl.NumberFormat('en');
const short = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

export const count = (value: number): string => whole.format(value);
export const shortCount = (value: number): string => short.format(value);
