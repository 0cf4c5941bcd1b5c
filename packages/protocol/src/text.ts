// Strings whose length is counted in code points, without NUL and without unpaired surrogates.
// zod's min and max count UTF-16 units, but the database counts code points.
import { z } from 'zod';

/**
 * Counts the code points. If the string is too long, counting may stop early and return `max + 1`.
 */
export function countChars(value: string, max: number): number {
  if (value.length > max * 2) return max + 1;
  let count = 0;
  for (const _ of value) count += 1;
  return count;
}

/** Why a string cannot be stored, regardless of its length; null if it can. */
export function flawOf(value: string): string | null {
  if (value.includes('\u0000')) return 'must not contain NUL characters';
  if (!value.isWellFormed()) return 'must be valid Unicode';
  return null;
}

/** Accepts a string of `min` to `max` code points, stored exactly as sent. */
export function text(min: number, max: number) {
  return z
    .string()
    .check((ctx) => {
      const message = flawOf(ctx.value) ?? lengthFlaw(ctx.value, min, max);
      if (message) ctx.issues.push({ code: 'custom', message, input: ctx.value });
    })
    .meta({ ...(min > 0 && { minLength: min }), maxLength: max });
}

function lengthFlaw(value: string, min: number, max: number): string | null {
  const count = countChars(value, max);
  if (count < min) return `must have at least ${min} character${min === 1 ? '' : 's'}`;
  if (count > max) return `must have at most ${max} characters`;
  return null;
}
