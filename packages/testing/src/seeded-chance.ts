// Seeded random numbers, for tests that try many random inputs or schedules.

export type Chance = () => number;

/** Generates the same numbers for the same seed (mulberry32). */
export function chanceOf(seed: number): Chance {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A whole number from 0 to `most`. */
export const upTo = (chance: Chance, most: number): number => Math.floor(chance() * (most + 1));

export const oneOf = <T>(chance: Chance, values: readonly T[]): T =>
  values[upTo(chance, values.length - 1)] as T;
