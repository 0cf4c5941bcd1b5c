// Parses a batch's timestamps. Most share the same day and format, so the day is parsed only once,
// and the time of day digit by digit. All other formats go to parseTimestamp().
//
// Measured with `bench ingest` in November 2026, in batches of 1,000: 0.2 µs of CPU time per
// timestamp, compared with 1.6 µs for parseTimestamp().
import { parseTimestamp } from '@keyrail/protocol/timestamp.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../base/duration.ts';

/** Milliseconds since the epoch; null if the text isn't a timestamp. */
export type ReadInstant = (text: unknown) => number | null;

const USUAL = '2026-01-01T00:00:00.000Z';
const DAY_CHARS = 11;

export function instantReader(): ReadInstant {
  const days = new Map<string, number | null>();
  return (text) => {
    if (typeof text !== 'string') return null;
    const ms = text.length === USUAL.length ? timeOfDay(text) : null;
    if (ms === null) return parseTimestamp(text)?.getTime() ?? null;
    const day = text.slice(0, DAY_CHARS);
    let startMs = days.get(day);
    if (startMs === undefined) {
      startMs = parseTimestamp(day + USUAL.slice(DAY_CHARS))?.getTime() ?? null;
      days.set(day, startMs);
    }
    return startMs === null ? null : startMs + ms;
  };
}

/** Returns the milliseconds since midnight; null if the text isn't in the format of USUAL. */
function timeOfDay(text: string): number | null {
  const isUsual =
    text.charCodeAt(13) === 0x3a &&
    text.charCodeAt(16) === 0x3a &&
    text.charCodeAt(19) === 0x2e &&
    text.charCodeAt(23) === 0x5a;
  if (!isUsual) return null;
  const hour = number(text, 11, 2);
  const minute = number(text, 14, 2);
  const second = number(text, 17, 2);
  const ms = number(text, 20, 3);
  if (!(hour < 24 && minute < 60 && second < 60 && ms < 1000)) return null;
  return hour * HOUR_MS + minute * MINUTE_MS + second * SECOND_MS + ms;
}

/** Returns NaN if any of the characters isn't a digit. */
function number(text: string, from: number, digits: number): number {
  let value = 0;
  for (let at = from; at < from + digits; at += 1) {
    const digit = text.charCodeAt(at) - 0x30;
    if (digit < 0 || digit > 9) return Number.NaN;
    value = value * 10 + digit;
  }
  return value;
}
