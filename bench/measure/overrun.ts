// A round's time limit: a round is cut off when it takes ten times as long as planned.

export const OVERRUN_MAX = 10;

/**
 * Waits for work, but no longer than ten times the planned time. Returns whether it was cut off.
 * Work that is cut off continues in the background until it next checks the time, and its result is
 * discarded.
 */
export async function isEndedByOverrun(
  work: Promise<unknown>,
  plannedMs: number,
): Promise<boolean> {
  const { promise: overrun, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(true), plannedMs * OVERRUN_MAX);
  work.catch(() => {}); // a failure after the cutoff must not crash the process
  try {
    return await Promise.race([work.then(() => false), overrun]);
  } finally {
    clearTimeout(timer);
  }
}

/** How many pieces of work were completed, and how long that took. */
export type Counted = { done: number; ms: number; isEnded: boolean };

/**
 * If a round was cut off before it completed anything, it counts as one piece, which makes the rate
 * an upper bound.
 */
export const perSecond = ({ done, ms }: Counted): number => (Math.max(done, 1) * 1000) / ms;

/** Runs `concurrency` loops in parallel. Each repeats the step until the time is up. */
export async function repeat(
  { ms, concurrency }: { ms: number; concurrency: number },
  begin: () => () => Promise<unknown>,
): Promise<Counted> {
  const beganAt = performance.now();
  const elapsedMs = () => performance.now() - beganAt;
  let done = 0;
  const loop = async (): Promise<void> => {
    const step = begin();
    while (elapsedMs() < ms) {
      await step();
      done += 1;
    }
  };
  const loops = Promise.all(Array.from({ length: concurrency }, loop));
  const isEnded = await isEndedByOverrun(loops, ms);
  return { done, ms: elapsedMs(), isEnded };
}
