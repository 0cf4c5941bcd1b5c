// Taking a measurement apart: last opened, first stopped, and one that fails to stop does not
// keep the others running.

export type Stoppable = { stop(): Promise<void> };

export async function stopAll(opened: readonly Stoppable[]): Promise<void> {
  for (const one of opened.toReversed()) {
    try {
      await one.stop();
    } catch (error) {
      console.error(error);
    }
  }
}
