const TICK_MS = 10;

/**
 * Counts the time in which this process could not run its timers, because it was computing or the
 * machine ran other processes. A request that only waits for a connection adds nothing to it.
 */
export function countBusyMs(): () => number {
  let busyMs = 0;
  let tickedAt = performance.now();
  const ticking = setInterval(() => {
    const now = performance.now();
    busyMs += Math.max(0, now - tickedAt - TICK_MS);
    tickedAt = now;
  }, TICK_MS);
  return () => {
    clearInterval(ticking);
    return busyMs;
  };
}
