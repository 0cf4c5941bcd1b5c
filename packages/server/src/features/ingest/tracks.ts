// One thing at a time in each track; what comes up meanwhile goes together next. Batches of one
// workspace meet at the same rows: side by side they would wait there for each other, each with a
// connection in hand.
import { unavailable } from '../../base/errors.ts';

/** Does all that was gathered, and tells of each what became of it. */
export type Together<Item, Result> = (
  items: readonly [Item, ...Item[]],
) => Promise<PromiseSettledResult<Result>[]>;

export type Tracks<Item, Result> = (track: string, item: Item) => Promise<Result>;

type Waiting<Item, Result> = { item: Item; settle: PromiseWithResolvers<Result> };

export function tracksFor<Item, Result>(
  together: Together<Item, Result>,
  { mostAtOnce, waitingMax }: { mostAtOnce: number; waitingMax: number },
): Tracks<Item, Result> {
  const tracks = new Map<string, Waiting<Item, Result>[]>();

  async function drive(track: string, queue: Waiting<Item, Result>[]): Promise<void> {
    for (;;) {
      const [first, ...rest] = queue.splice(0, mostAtOnce);
      if (!first) break;
      const taken = [first, ...rest];
      try {
        const fates = await together([first.item, ...rest.map(({ item }) => item)]);
        for (const [at, { settle }] of taken.entries()) settleBy(settle, fates[at]);
      } catch (error) {
        for (const { settle } of taken) settle.reject(error);
      }
    }
    tracks.delete(track);
  }

  return (track, item) => {
    const waiting = { item, settle: Promise.withResolvers<Result>() };
    const queue = tracks.get(track);
    if (queue && queue.length >= waitingMax) waiting.settle.reject(unavailable());
    else if (queue) queue.push(waiting);
    else {
      const opened = [waiting];
      tracks.set(track, opened);
      void drive(track, opened);
    }
    return waiting.settle.promise;
  };
}

function settleBy<Result>(
  { resolve, reject }: PromiseWithResolvers<Result>,
  fate: PromiseSettledResult<Result> | undefined,
): void {
  if (fate?.status === 'fulfilled') resolve(fate.value);
  else reject(fate?.reason);
}
