// Stops everything a benchmark started, in reverse order, even if something fails to stop.

export type Stoppable = { stop(): Promise<void> };

/** Registers something to be stopped at the end, and returns it. */
export type StopAtEnd = <T extends Stoppable>(started: T) => T;

/** Runs a benchmark and then stops everything it registered, even after a failure. */
export async function withCleanup<Result>(
  measure: (stopAtEnd: StopAtEnd) => Promise<Result>,
): Promise<Result> {
  const started: Stoppable[] = [];
  try {
    return await measure((one) => {
      started.push(one);
      return one;
    });
  } finally {
    await stopAll(started);
  }
}

async function stopAll(started: readonly Stoppable[]): Promise<void> {
  for (const one of started.toReversed()) {
    try {
      await one.stop();
    } catch (error) {
      console.error(error);
    }
  }
}
