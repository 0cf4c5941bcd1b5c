// Bounds concurrent work for each name: `atOnce` calls run, `waitingMax` more wait in order, and
// further calls are refused with 429.
import { ApiError } from './errors.ts';

type Slots = <T>(name: string, work: () => Promise<T>) => Promise<T>;

type Queue = { running: number; waiting: (() => void)[] };

export function createSlots({ atOnce, waitingMax }: { atOnce: number; waitingMax: number }): Slots {
  const queues = new Map<string, Queue>();

  async function enter(queue: Queue): Promise<void> {
    if (queue.running < atOnce) {
      queue.running += 1;
      return;
    }
    if (queue.waiting.length >= waitingMax) {
      throw new ApiError('rate_limited', undefined, { headers: { 'retry-after': '1' } });
    }
    // `leave` hands the slot to this call, so that a new call cannot take it first.
    await new Promise<void>((resolve) => queue.waiting.push(resolve));
  }

  function leave(name: string, queue: Queue): void {
    const next = queue.waiting.shift();
    if (next) {
      next();
      return;
    }
    queue.running -= 1;
    if (queue.running === 0) queues.delete(name);
  }

  return async (name, work) => {
    const queue = queues.get(name) ?? { running: 0, waiting: [] };
    queues.set(name, queue);
    await enter(queue);
    try {
      return await work();
    } finally {
      leave(name, queue);
    }
  };
}
