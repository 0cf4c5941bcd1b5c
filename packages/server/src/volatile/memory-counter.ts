// The arithmetic for a counter in memory. It must match counter.lua.
import { NEVER, type Rule, spanOf, type Tally, widthOf } from './counters.ts';
import type { Counter } from './owner-names.ts';

export type Charge = { now: number; cost: number };

export const emptyCounter = (head: number, span: number): Counter => ({
  head,
  counts: new Array(span).fill(0),
  endsAtMs: 0,
  fullUntilMs: 0,
  isFull: false,
  serial: 0,
});

/**
 * If the clock steps back by up to a span, the newest bucket stays current; otherwise the counter
 * restarts.
 */
export function newestOf(rule: Rule, counter: Counter | undefined, now: number): number {
  const newest = Math.floor(now / widthOf(rule));
  if (!counter || counter.head <= newest) return newest;
  return counter.head - newest <= spanOf(rule) ? counter.head : newest;
}

/** Empties the buckets that have begun since the last charge. */
export function roll(counter: Counter, newest: number, span: number): void {
  const moved = newest - counter.head;
  if (moved < 0 || moved >= span) counter.counts.fill(0);
  else for (let at = counter.head + 1; at <= newest; at += 1) counter.counts[at % span] = 0;
  counter.head = newest;
}

export function tallyOf(rule: Rule, counter: Counter | undefined, { now, cost }: Charge): Tally {
  const { limit } = rule;
  const span = spanOf(rule);
  const widthMs = widthOf(rule);
  const newest = newestOf(rule, counter, now);
  let used = 0;
  let resetMs = 0;
  if (counter && newest >= counter.head) {
    for (let at = Math.max(counter.head, newest) - span + 1; at <= counter.head; at += 1) {
      const count = counter.counts[at % span] ?? 0;
      if (count === 0) continue;
      used += count;
      resetMs = (at + span) * widthMs - now;
    }
  }
  if (cost === 0 || used + cost <= limit) return { used, resetMs, waitMs: 0 };
  if (cost > limit) return { used, resetMs, waitMs: NEVER };
  let left = used;
  let at = newest - span + 1;
  while (left + cost > limit) {
    if (counter && at <= counter.head) left -= counter.counts[at % span] ?? 0;
    at += 1;
  }
  return { used, resetMs, waitMs: (at - 1 + span) * widthMs - now };
}

/** When a counter with `used` units will be below its limit again; 0 if it already is. */
export const fullUntilMs = (rule: Rule, counter: Counter, { now, used }: Used): number =>
  used < rule.limit ? 0 : now + tallyOf(rule, counter, { now, cost: 1 }).waitMs;

type Used = { now: number; used: number };
