import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '@keyrail/protocol/wire/durations.ts';
// Parses and formats human-readable times and durations.
import { usage } from './failures.ts';

const units: Readonly<Record<string, number>> = {
  s: SECOND_MS,
  m: MINUTE_MS,
  h: HOUR_MS,
  d: DAY_MS,
  w: 7 * DAY_MS,
};

/**
 * Converts `90s`, `30m`, `12h`, `7d` or `2w` to milliseconds; null if the text has a different
 * format.
 */
export function spanMs(text: string): number | null {
  const [, amount = '', unit = ''] = /^(\d{1,6}(?:\.\d{1,3})?)([smhdw])$/.exec(text) ?? [];
  const ms = units[unit];
  return ms === undefined ? null : Number(amount) * ms;
}

/** Formats a duration in its shortest exact notation. */
export function spanText(ms: number): string {
  for (const unit of ['d', 'h', 'm', 's']) {
    const size = units[unit] ?? 1;
    if (ms >= size && ms % size === 0) return `${ms / size}${unit}`;
  }
  return `${ms}ms`;
}

/** Converts `30d`, `2027-01-31` (in UTC) or a full ISO 8601 date-time to a time for the API. */
export function instantOf(text: string, now: Date): string {
  const span = spanMs(text);
  if (span !== null) return new Date(now.getTime() + span).toISOString();
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return `${text}T00:00:00Z`;
  if (/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.test(text)) return text;
  throw usage(`"${text}" isn't a valid time. Use 30d, 2027-01-31 or 2027-01-31T12:00:00Z.`);
}

/** Converts `24`, `90m` or `2d` to hours for the API. */
export function hoursOf(text: string): number {
  const ms = spanMs(/^[\d.]+$/.test(text) ? `${text}h` : text);
  if (ms === null) throw usage(`"${text}" isn't a valid duration. Use 24h, 90m or 2d.`);
  return ms / HOUR_MS;
}

/** Formats a time as `5m ago` or `in 3d`, or as a date if it is more than 60 days away. */
export function relative(iso: string, now: Date): string {
  const ms = Date.parse(iso) - now.getTime();
  if (Number.isNaN(ms)) return iso;
  const away = Math.abs(ms);
  if (away > 60 * DAY_MS) return iso.slice(0, 10);
  if (away < SECOND_MS) return 'now';
  const unit = ['d', 'h', 'm', 's'].find((one) => away >= (units[one] ?? 0)) ?? 's';
  const amount = away / (units[unit] ?? 1);
  return ms < 0 ? `${Math.floor(amount)}${unit} ago` : `in ${Math.round(amount)}${unit}`;
}
