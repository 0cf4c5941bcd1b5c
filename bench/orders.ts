// The loop of a worker process: it takes orders from its parent.

/** Reports ready, carries out one order after the other, and exits with its parent. */
export function takeOrders<Order, Result>(carryOut: (order: Order) => Promise<Result>): void {
  process.on('message', async (order: Order) => {
    try {
      process.send?.({ result: await carryOut(order) });
    } catch (error) {
      process.send?.({ fault: error instanceof Error ? error.message : String(error) });
    }
  });
  process.once('disconnect', () => process.exit(0));
  process.send?.({ ready: true });
}

type Span = { ms: number; concurrency: number };

/** Runs `concurrency` loops in parallel, each repeating the step until the time is over. */
export async function repeat(
  { ms, concurrency }: Span,
  begin: () => () => Promise<unknown>,
): Promise<{ done: number; ms: number }> {
  const began = performance.now();
  let done = 0;
  const stepping = async (): Promise<void> => {
    const step = begin();
    while (performance.now() - began < ms) {
      await step();
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: concurrency }, stepping));
  return { done, ms: performance.now() - began };
}
