// Formats times for responses: UTC, milliseconds, Z. Date.toISOString is many times slower, and a
// page of a list can contain a thousand timestamps.
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from './duration.ts';

const digits = (count: number, width: number, end: string): readonly string[] =>
  Array.from({ length: count }, (_, number) => String(number).padStart(width, '0') + end);

const HOURS = digits(24, 2, ':');
const MINUTES = digits(60, 2, ':');
const SECONDS = digits(60, 2, '.');
const MILLISECONDS = digits(1000, 3, 'Z');

/** The last formatted day is cached, since most consecutive times are on the same day. */
let lastDay = Number.NaN;
let dayText = '';

export function wireTime(moment: Date): string {
  const at = moment.getTime();
  const day = Math.floor(at / DAY_MS);
  if (day !== lastDay) {
    const text = moment.toISOString(); // throws for an invalid date
    dayText = text.slice(0, text.indexOf('T') + 1);
    lastDay = day;
  }
  const ms = at - day * DAY_MS;
  const hour = HOURS[Math.floor(ms / HOUR_MS)];
  const minute = MINUTES[Math.floor(ms / MINUTE_MS) % 60];
  const second = SECONDS[Math.floor(ms / SECOND_MS) % 60];
  return `${dayText}${hour}${minute}${second}${MILLISECONDS[ms % SECOND_MS]}`;
}

export const wireTimeOrNull = (moment: Date | null): string | null =>
  moment ? wireTime(moment) : null;
