/**
 * The time between two checks of the condition. A shorter pause would keep a core busy, because a
 * condition may send a request each time.
 */
const PAUSE_MS = 20;

/** Waits until a condition holds; throws after `ms`. */
export async function until(holds: () => boolean | Promise<boolean>, ms = 60_000): Promise<void> {
  const end = performance.now() + ms;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`Not true within ${ms} ms: ${holds}`);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}
