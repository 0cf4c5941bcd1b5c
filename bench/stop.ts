// Taking a measurement apart: last opened, first stopped, and one that fails to stop does not
// keep the others running.

export type Stoppable = { stop(): Promise<void> };

/** Notes what has to be stopped in the end, and hands it on. */
export type Keep = <T extends Stoppable>(one: T) => T;

/** Runs a measurement; whatever it kept is stopped, however it ends. */
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
