// Spans of time, named by their unit.

export const SECOND_MS = 1000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

export const msAfter = (start: Date, ms: number): Date => new Date(start.getTime() + ms);

export const hoursAfter = (start: Date, hours: number): Date =>
  msAfter(start, Math.trunc(hours * HOUR_MS));

/** A proposed end may shorten a life, never lengthen it. */
export const earlier = (current: Date | null, proposed: Date): Date =>
  current && current < proposed ? current : proposed;

/** For a time that is told again and again: it never goes back, whoever began first. */
export const later = (told: Date, now: Date): Date => (told > now ? told : now);
