// Selects a few planted bugs for each day. The next day's selection begins where today's ends.

const DAY_MS = 86_400_000;

export function handful<T>(all: readonly T[], count: number, now: Date): T[] {
  if (!Number.isInteger(count) || count < 1)
    throw new Error('--handful must be a whole number, 1 or higher');
  const start = Math.floor(now.getTime() / DAY_MS) * count;
  const most = Math.min(count, all.length);
  return Array.from({ length: most }, (_, n) => all[(start + n) % all.length]).filter(
    (one) => one !== undefined,
  );
}
