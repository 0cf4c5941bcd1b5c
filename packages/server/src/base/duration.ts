// Durations in milliseconds, and arithmetic on dates.

export const SECOND_MS = 1000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

export const msAfter = (start: Date, ms: number): Date => new Date(start.getTime() + ms);

export const hoursAfter = (start: Date, hours: number): Date =>
  msAfter(start, Math.trunc(hours * HOUR_MS));

/** A proposed expiry may shorten a lifetime but never extend it. */
export const earlier = (current: Date | null, proposed: Date): Date =>
  current && current < proposed ? current : proposed;

/** Keeps a repeatedly written time from moving back when transactions finish out of order. */
export const later = (stored: Date, now: Date): Date => (stored > now ? stored : now);
