import { DAY_MS, HOUR_MS, MINUTE_MS } from '@keyrail/protocol/wire/durations.ts';
// Formats times, durations and numbers in the UI's language. Times are local, show their time zone,
// and use the locale's 12-hour or 24-hour clock. Tooltips also show UTC.
import type { Words } from '../texts/texts.ts';

type Unit = 'year' | 'month' | 'day' | 'hour' | 'minute';
type Lang = Pick<Words, 'lang'>;

const units: readonly (readonly [Unit, number])[] = [
  ['year', 365 * DAY_MS],
  ['month', 30 * DAY_MS],
  ['day', DAY_MS],
  ['hour', HOUR_MS],
  ['minute', MINUTE_MS],
];

const unitOf = (ms: number): readonly [Unit, number] =>
  units.find(([, size]) => Math.abs(ms) >= size) ?? ['minute', MINUTE_MS];

/** A relative time, such as "3 minutes ago", "in 2 days" or "this minute". */
export function relativeTime(instant: string, { lang }: Lang, nowMs: number): string {
  const ms = Date.parse(instant) - nowMs;
  const [unit, size] = unitOf(ms);
  return new Intl.RelativeTimeFormat(lang, { numeric: 'auto' }).format(Math.trunc(ms / size), unit);
}

/**
 * Formats a time. The language "en" uses the 24-hour clock, like the dashboard, but "en-US" uses
 * the 12-hour clock.
 */
const formatted = (at: Date, { lang }: Lang, format: Intl.DateTimeFormatOptions): string =>
  new Intl.DateTimeFormat(lang.toLowerCase() === 'en' ? 'en-GB' : lang, format).format(at);

/** "19 Nov 2026, 14:05:07 CET (19 Nov 2026, 13:05:07 UTC)", for a tooltip. */
export function fullTime(instant: string, words: Lang): string {
  const at = new Date(instant);
  const format = { dateStyle: 'medium', timeStyle: 'long' } as const;
  const local = formatted(at, words, format);
  const utc = formatted(at, words, { ...format, timeZone: 'UTC' });
  return local === utc ? utc : `${local} (${utc})`;
}

export const dateText = (instant: string, words: Lang): string =>
  formatted(new Date(instant), words, { dateStyle: 'medium' });

/** A time such as "14:05 CET" if it is today, or "Thu 19 Nov, 14:05 CET" otherwise. */
export function momentText(instant: string, words: Lang, nowMs: number): string {
  const at = new Date(instant);
  const isToday = at.toDateString() === new Date(nowMs).toDateString();
  const time = { hour: '2-digit', minute: '2-digit', timeZoneName: 'short' } as const;
  const day = { weekday: 'short', day: 'numeric', month: 'short' } as const;
  return formatted(at, words, isToday ? time : { ...day, ...time });
}

/** Formats a date from the API, which is in UTC. */
export const dayText = (day: string, words: Lang): string =>
  formatted(new Date(`${day}T00:00:00Z`), words, {
    day: 'numeric',
    month: 'short',
    timeZone: 'UTC',
  });

export const countText = (count: number, { lang }: Lang): string =>
  new Intl.NumberFormat(lang).format(count);
