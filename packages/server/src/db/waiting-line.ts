// The queue in front of a bounded pool. It decides which work gets the next connection, and rejects
// work that cannot finish before its deadline, so that no connection is wasted on it.
//
// For each database role it keeps a moving average of how long a connection is lent, since a lookup
// takes one round trip and a change takes several. From these averages:
//
// expected wait = sum of the averages of all work ahead in the queue / connections
//
// Work is rejected immediately if its expected wait and its own average exceed the time left.
// Waiting work gives up once the time left is no longer than its average. Before its credential is
// looked up, a change is checked in the same way, with a margin and the average lookup time added.
//
// A free connection is always lent, so that new work corrects averages left over from a slow
// period. Work with `goesFirst` (revocations and credential lookups) is served before everything
// else.
import type { Deadline } from '../base/deadline.ts';
import type { PoolUse } from '../base/pool-use.ts';
import type { DoorRole } from './database.ts';
import { StoreUnavailable } from './faults.ts';

export type ConnectionRequest = {
  role: DoorRole;
  deadline: Deadline;
  goesFirst?: boolean | undefined;
};

export type WaitingLine = {
  /** Resolves when a connection is free for this work; `leave` must be called after it. */
  enter(asked: ConnectionRequest): Promise<void>;
  /** Returns the connection; `tookMs` is how long it was lent. */
  leave(role: DoorRole, tookMs: number): void;
  /**
   * Announces a change whose credential has not been looked up yet; throws if the change would be
   * rejected. The change counts as waiting until the returned function is called.
   */
  expect(asked: ConnectionRequest): () => void;
  use(): PoolUse;
};

type LineLimits = { connections: number; waitingMax: number };

/**
 * The newest measurement's weight. Averages start at zero, so that a new process's slow first
 * statements don't cause rejections.
 */
const NEWEST_SHARE = 0.1;
/**
 * Measurements are capped at this multiple of the average, or at LONG_MS if that is higher. An
 * import of 10,000 keys takes hundreds of times as long as a change to one key, and must not cause
 * changes to be rejected. A database that has become slow is still detected after about fifteen
 * measurements.
 */
const NOTED_MAX = 4;
const LONG_MS = 50;
/**
 * A request is let through only if its work would still meet the deadline after taking this many
 * times its average duration.
 */
const MARGIN = 1.5;
/** The role that looks up credentials. */
const LOOK_UP: DoorRole = 'kr_gate';

type Waiter = { role: DoorRole; turn: PromiseWithResolvers<void>; timer: NodeJS.Timeout };

export function createWaitingLine({ connections, waitingMax }: LineLimits): WaitingLine {
  const first = new Set<Waiter>();
  const others = new Set<Waiter>();
  const work = measuredWork();
  let lent = 0;
  /** The number of requests let through whose credentials are still being looked up. */
  let expected = 0;

  function refuseHopeless({ role, deadline, goesFirst }: ConnectionRequest, workMs: number): void {
    if (first.size + others.size >= waitingMax)
      throw new StoreUnavailable('too many requests waiting for a connection');
    const aheadMs = work.aheadMs('first') + (goesFirst ? 0 : work.aheadMs('other'));
    const waitMs = (aheadMs + work.averageMs(role)) / connections;
    if (waitMs + workMs > deadline.remainingMs()) {
      throw new StoreUnavailable('the work cannot finish before its deadline');
    }
  }

  function wait({ role, deadline, goesFirst }: ConnectionRequest): Promise<void> {
    const line = goesFirst ? first : others;
    const turn = Promise.withResolvers<void>();
    const counted = work.count(role, goesFirst);
    const giveUp = () => {
      line.delete(waiter);
      turn.reject(new StoreUnavailable('timed out waiting for a database connection'));
    };
    const patienceMs = deadline.remainingMs() - work.averageMs(role);
    const waiter = { role, turn, timer: setTimeout(giveUp, Math.max(0, patienceMs)) };
    line.add(waiter);
    return turn.promise.finally(counted);
  }

  return {
    expect(asked) {
      const workMs = work.averageMs(LOOK_UP) + work.averageMs(asked.role) * MARGIN;
      if (lent + expected >= connections) refuseHopeless(asked, workMs);
      const arrived = work.count(asked.role, asked.goesFirst);
      expected += 1;
      return () => {
        expected -= 1;
        arrived();
      };
    },
    async enter(asked) {
      if (lent >= connections) {
        refuseHopeless(asked, work.averageMs(asked.role));
        return wait(asked);
      }
      lent += 1;
    },
    leave(role, tookMs) {
      work.note(role, tookMs);
      const next = nextOf(first) ?? nextOf(others);
      // The next waiter gets this connection, so the number of lent connections stays the same.
      if (next) next.turn.resolve();
      else lent -= 1;
    },
    use: () => ({ max: connections, lent, waiting: first.size + others.size }),
  };
}

function nextOf(line: Set<Waiter>): Waiter | null {
  for (const waiter of line) {
    line.delete(waiter);
    clearTimeout(waiter.timer);
    return waiter;
  }
  return null;
}

type Measured = { averageMs: number; first: number; other: number };

/** Tracks the average duration of each role's work, and how many requests are waiting. */
function measuredWork() {
  const roles = new Map<DoorRole, Measured>();
  const of = (role: DoorRole): Measured => {
    const known = roles.get(role) ?? { averageMs: 0, first: 0, other: 0 };
    roles.set(role, known);
    return known;
  };
  return {
    averageMs: (role: DoorRole): number => of(role).averageMs,
    note(role: DoorRole, tookMs: number): void {
      const one = of(role);
      const notedMs = Math.min(tookMs, Math.max(LONG_MS, one.averageMs * NOTED_MAX));
      one.averageMs += (notedMs - one.averageMs) * NEWEST_SHARE;
    },
    aheadMs: (which: 'first' | 'other'): number =>
      [...roles.values()].reduce((sum, one) => sum + one.averageMs * one[which], 0),
    /** Counts work as waiting until the returned function is called. */
    count(role: DoorRole, goesFirst: boolean | undefined): () => void {
      const one = of(role);
      const which = goesFirst ? 'first' : 'other';
      one[which] += 1;
      return () => {
        one[which] -= 1;
      };
    },
  };
}
