// Durations in milliseconds, and arithmetic on dates.
import { HOUR_MS } from '@keyrail/protocol/wire/durations.ts';

// biome-ignore lint/performance/noBarrelFile: one import for durations and their arithmetic
export { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '@keyrail/protocol/wire/durations.ts';

export const msAfter = (start: Date, ms: number): Date => new Date(start.getTime() + ms);

export const hoursAfter = (start: Date, hours: number): Date =>
  msAfter(start, Math.trunc(hours * HOUR_MS));

/** A proposed expiry may shorten a lifetime but never extend it. */
export const earlier = (current: Date | null, proposed: Date): Date =>
  current && current < proposed ? current : proposed;

/** Keeps a repeatedly updated time from moving backwards when transactions finish out of order. */
export const later = (stored: Date, now: Date): Date => (stored > now ? stored : now);
