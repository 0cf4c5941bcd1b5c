// Times and durations in words.

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
export const DAY_MS = 24 * HOUR;

const steps: readonly (readonly [string, number])[] = [
  ['y', 365 * DAY_MS],
  ['mo', 30 * DAY_MS],
  ['d', DAY_MS],
  ['h', HOUR],
  ['min', MINUTE],
  ['s', SECOND],
];

const absolute = new Intl.DateTimeFormat('en-GB', {
  dateStyle: 'medium',
  timeStyle: 'long',
});
const clockTime = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const dayOfYear = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });

/** "3 min ago", "in 2 d", "now": the units of durations. */
export function relativeTime(atMs: number, nowMs: number): string {
  const ms = atMs - nowMs;
  if (Math.abs(ms) < 5 * SECOND) return 'now';
  const [unit, size] = steps.find(([, each]) => Math.abs(ms) >= each) ?? ['s', SECOND];
  const span = `${Math.trunc(Math.abs(ms) / size)} ${unit}`;
  return ms < 0 ? `${span} ago` : `in ${span}`;
}

export const absoluteTime = (at: Date): string => absolute.format(at);
export const timeOfDay = (at: Date): string => clockTime.format(at);
/** "19 Nov", for days within a few weeks. */
export const dayText = (at: Date): string => dayOfYear.format(at);

/** "41 min", "3 d": what a label has room for. */
export const longestUnit = (ms: number): string =>
  durationText(ms).split(' ').slice(0, 2).join(' ');

/** "41 min", "3 d 4 h": at most two units. */
export function durationText(ms: number): string {
  if (ms < SECOND) return `${Math.round(ms)} ms`;
  const parts: string[] = [];
  let rest = ms;
  for (const [name, size] of [
    ['d', DAY_MS],
    ['h', HOUR],
    ['min', MINUTE],
    ['s', SECOND],
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
