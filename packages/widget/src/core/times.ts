// Times, durations and numbers in the language of the texts.
import type { Words } from '../texts/texts.ts';

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

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

/** "3 minutes ago", "in 2 days", "this minute". */
export function relativeTime(instant: string, { lang }: Lang, nowMs: number): string {
  const ms = Date.parse(instant) - nowMs;
  const [unit, size] = unitOf(ms);
  return new Intl.RelativeTimeFormat(lang, { numeric: 'auto' }).format(Math.trunc(ms / size), unit);
}

export const fullTime = (instant: string, { lang }: Lang): string =>
  new Intl.DateTimeFormat(lang, { dateStyle: 'medium', timeStyle: 'short' }).format(
    new Date(instant),
  );

export const dateText = (instant: string, { lang }: Lang): string =>
  new Intl.DateTimeFormat(lang, { dateStyle: 'medium' }).format(new Date(instant));

/** The time of a day that is near, else date and time. */
export function momentText(instant: string, { lang }: Lang, nowMs: number): string {
  const at = new Date(instant);
  const isToday = at.toDateString() === new Date(nowMs).toDateString();
  const time = { hour: '2-digit', minute: '2-digit' } as const;
  const format = isToday ? time : ({ day: 'numeric', month: 'short', ...time } as const);
  return new Intl.DateTimeFormat(lang, format).format(at);
}

/** Days of the API are in UTC. */
export const dayText = (day: string, { lang }: Lang): string =>
  new Intl.DateTimeFormat(lang, { day: 'numeric', month: 'short', timeZone: 'UTC' }).format(
    new Date(`${day}T00:00:00Z`),
  );

export const countText = (count: number, { lang }: Lang): string =>
  new Intl.NumberFormat(lang).format(count);
