/**
 * Combines concurrent callers' work into batches. A batch is sent after its last caller has
 * arrived, so no result is older than the call that receives it.
 *
 * A batch has three states. It is *open* while callers can join it: at least until the end of the
 * current turn of the event loop, and longer while its group has `inFlightMax` batches in flight.
 * It is *in flight* once `run` is called; callers can no longer join it. It is *settled* when every
 * caller has its own result.
 */
import { monotonicMs } from './clock.ts';

export type BatchOptions = {
  /** The maximum number of items in one batch. */
  max?: number;
  /** The maximum number of batches that one group has in flight at the same time. */
  inFlightMax?: number;
  /**
   * The longest time that a batch waits for batches in flight, which may hang on a dead connection.
   */
  heldMsMax?: number;
  /**
   * If this is less than `heldMsMax`, a batch is held for about the average duration of a batch,
   * within these two bounds. So only a few batches run at a time while a database is slow.
   */
  heldMsMin?: number;
  /**
   * The maximum number of items waiting in one group. Further items are rejected with the error
   * from `refuse`.
   */
  waitingMax?: number;
  refuse?(): Error;
  /** Injected by tests. */
  later?(act: () => void, ms: number): void;
  nowMs?(): number;
};

/**
 * Returns one result per item, in the same order. A rejected promise among them rejects only its
 * own item.
 */
type RunBatch<Item, Result> = (
  items: readonly Item[],
) => Promise<readonly (Result | Promise<Result>)[]>;

type Batched<Item, Result> = (
  /** Only items in the same group share a batch. */
  group: string,
  item: Item,
  run: RunBatch<Item, Result>,
) => Promise<Result>;

type Waiting<Item, Result> = {
  item: Item;
  run: RunBatch<Item, Result>;
  caller: PromiseWithResolvers<Result>;
};

type Group<Item, Result> = { waiting: Waiting<Item, Result>[]; inFlight: number };

export const HELD_MS_MAX = 5;
/** The newest batch's weight in the moving average of durations. */
const NEWEST_SHARE = 0.2;

export function batched<Item, Result>(options: BatchOptions = {}): Batched<Item, Result> {
  const {
    max = Number.POSITIVE_INFINITY,
    inFlightMax = Number.POSITIVE_INFINITY,
    heldMsMax = HELD_MS_MAX,
    heldMsMin = heldMsMax,
    waitingMax = Number.POSITIVE_INFINITY,
    refuse = () => new Error('too many callers are waiting'),
    later = setTimeout,
    nowMs = monotonicMs,
  } = options;
  const groups = new Map<string, Group<Item, Result>>();
  let averageMs = 0;

  function send(name: string, group: Group<Item, Result>): void {
    const sent = group.waiting.splice(0, max);
    const [first] = sent;
    if (!first) return;
    group.inFlight += 1;
    const sentAtMs = nowMs();
    if (group.waiting.length > 0) setImmediate(sendWhenFree, name, group);
    // Ends the batch before its callers continue, so that a caller that calls again joins a new
    // batch.
    const end = () => {
      group.inFlight -= 1;
      averageMs += (nowMs() - sentAtMs - averageMs) * NEWEST_SHARE;
      if (group.waiting.length > 0) setImmediate(sendWhenFree, name, group);
      else if (group.inFlight === 0) groups.delete(name);
    };
    first.run(sent.map(({ item }) => item)).then(
      (results) => {
        end();
        for (const [at, { caller }] of sent.entries()) settle(caller, results, at);
      },
      (error: unknown) => {
        end();
        for (const { caller } of sent) caller.reject(error);
      },
    );
  }

  function sendWhenFree(name: string, group: Group<Item, Result>): void {
    if (group.waiting.length === 0) return;
    if (group.inFlight < inFlightMax) {
      send(name, group);
    } else if (Number.isFinite(heldMsMax)) {
      const [oldest] = group.waiting;
      later(
        () => {
          if (group.waiting[0] === oldest) send(name, group);
        },
        Math.min(heldMsMax, Math.max(heldMsMin, averageMs)),
      );
    }
  }

  return (name, item, run) => {
    const caller = Promise.withResolvers<Result>();
    const group = groups.get(name) ?? { waiting: [], inFlight: 0 };
    groups.set(name, group);
    if (group.waiting.length >= waitingMax) {
      caller.reject(refuse());
      return caller.promise;
    }
    group.waiting.push({ item, run, caller });
    const isFull = group.waiting.length >= max && group.inFlight < inFlightMax;
    if (isFull) send(name, group);
    else if (group.waiting.length === 1) setImmediate(sendWhenFree, name, group);
    return caller.promise;
  };
}

function settle<Result>(
  { resolve, reject }: PromiseWithResolvers<Result>,
  results: readonly (Result | Promise<Result>)[],
  at: number,
): void {
  const result = results[at];
  if (result === undefined) reject(new Error('a batch returned fewer results than it had items'));
  else resolve(result);
}

export type Shared<Result> = (name: string, ask: () => Promise<Result>) => Promise<Result>;

/** Concurrent calls with the same name share one result. */
export function shared<Result>(options: Pick<BatchOptions, 'later'> = {}): Shared<Result> {
  const batch = batched<null, { result: Result }>({ ...options, inFlightMax: 1 });
  return async (name, ask) => {
    const run = async (callers: readonly null[]) => {
      const result = await ask();
      return callers.map(() => ({ result }));
    };
    return (await batch(name, null, run)).result;
  };
}

/**
 * Calls made while a call is in flight share its result. The result may be older than the call, so
 * this is only for results that may be slightly out of date, such as a reloaded file.
 */
export function sharedInFlight<Result>(call: () => Promise<Result>): {
  run(): Promise<Result>;
  isRunning(): boolean;
} {
  const calls = sharedWithin<Result>();
  return {
    run: () => calls.run('', Number.POSITIVE_INFINITY, call),
    isRunning: () => calls.isRunning(''),
  };
}

type SharedWithin<Result> = {
  /** Joins a call with this name that began less than `withinMs` ago, or else starts a new call. */
  run(name: string, withinMs: number, call: () => Promise<Result>): Promise<Result>;
  isRunning(name: string): boolean;
  /** Calls made after this don't join calls that began before it. */
  forget(): void;
};

/** Like `sharedInFlight`, but by name, and with a limit on how old the result may be. */
export function sharedWithin<Result>(nowMs = monotonicMs): SharedWithin<Result> {
  type Call = { beganAtMs: number; result: Promise<Result> };
  const inFlight = new Map<string, Call>();
  return {
    run(name, withinMs, call) {
      const beganAtMs = nowMs();
      const known = inFlight.get(name);
      if (known && known.beganAtMs + withinMs > beganAtMs) return known.result;
      const result = call().finally(() => {
        if (inFlight.get(name) === started) inFlight.delete(name);
      });
      const started = { beganAtMs, result };
      inFlight.set(name, started);
      return result;
    },
    isRunning: (name) => inFlight.has(name),
    forget: () => inFlight.clear(),
  };
}

type Limits = { atOnceMax: number; waitingMax: number; refuse(): Error };

type Queue = { running: number; waiting: (() => void)[] };

/**
 * For each name, runs at most `atOnceMax` calls at a time. Up to `waitingMax` more can wait in
 * order; the rest are rejected.
 */
export function limited({ atOnceMax, waitingMax, refuse }: Limits) {
  const queues = new Map<string, Queue>();

  return async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    const queue = queues.get(name) ?? { running: 0, waiting: [] };
    queues.set(name, queue);
    if (queue.running < atOnceMax) queue.running += 1;
    else if (queue.waiting.length >= waitingMax) throw refuse();
    else await new Promise<void>((resolve) => queue.waiting.push(resolve));
    try {
      return await work();
    } finally {
      // Hands the slot directly to the next waiting call, so that a new call cannot take it first.
      const next = queue.waiting.shift();
      if (next) next();
      else queue.running -= 1;
      if (queue.running === 0) queues.delete(name);
    }
  };
}
