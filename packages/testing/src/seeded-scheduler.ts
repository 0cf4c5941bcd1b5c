// A seeded scheduler: it gives one turn at a time to a random waiting actor, so a failing run can
// be repeated exactly.
import { setImmediate as settled } from 'node:timers/promises';

export type Chance = {
  /** A random integer from 0 to `below` - 1. */
  below(below: number): number;
  pick<T>(options: readonly T[]): T;
  /** True with a probability of `share` percent. */
  percent(share: number): boolean;
};

/** Generates the same numbers for the same seed (mulberry32). */
export function chanceFrom(seed: number): Chance {
  let state = Math.imul(seed + 1, 0x9e3779b1);
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (bound: number) => Math.floor(next() * bound);
  return {
    below,
    pick: (options) => {
      const chosen = options[below(options.length)];
      if (chosen === undefined) throw new Error('the list to pick from is empty');
      return chosen;
    },
    percent: (share) => below(100) < share,
  };
}

type Turns = {
  /** Resolves once it is the actor's turn. */
  turn(): Promise<void>;
  /** Hands out turns until all actors are done. */
  run(actors: readonly Promise<unknown>[]): Promise<void>;
};

export function turnsBy(chance: Chance): Turns {
  const waiting: (() => void)[] = [];
  return {
    turn: () => new Promise((resolve) => void waiting.push(resolve)),
    async run(actors) {
      let isDone = false;
      const ended = Promise.all(actors).finally(() => {
        isDone = true;
      });
      ended.catch(() => {}); // awaited below
      for (;;) {
        // Let all effects of the last turn happen before the next.
        await settled();
        if (isDone) break;
        const [next] = waiting.splice(chance.below(waiting.length), 1);
        if (!next) throw new Error('no actor is waiting for a turn, but not all are done');
        next();
      }
      await ended;
    },
  };
}
