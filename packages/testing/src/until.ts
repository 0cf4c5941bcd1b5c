const PAUSE_MS = 5;

/** Waits until a condition holds; throws after `ms`. */
export async function until(holds: () => boolean | Promise<boolean>, ms = 10_000): Promise<void> {
  const end = performance.now() + ms;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`Not true within ${ms} ms: ${holds}`);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}
