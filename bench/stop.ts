// Stops what a measurement opened, in reverse order. A failing stop does not keep the others
// running.

export type Stoppable = { stop(): Promise<void> };

/** Registers something to stop at the end, and returns it. */
export type Keep = <T extends Stoppable>(one: T) => T;

/** Runs a measurement and then stops everything that it registered, even after a failure. */
export async function whileOpen<Found>(measure: (keep: Keep) => Promise<Found>): Promise<Found> {
  const opened: Stoppable[] = [];
  try {
    return await measure((one) => {
      opened.push(one);
      return one;
    });
  } finally {
    await stopAll(opened);
  }
}

export async function stopAll(opened: readonly Stoppable[]): Promise<void> {
  for (const one of opened.toReversed()) {
    try {
      await one.stop();
    } catch (error) {
      console.error(error);
    }
  }
}
