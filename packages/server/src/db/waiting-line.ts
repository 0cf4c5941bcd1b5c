// The line in front of a bounded pool: which request gets the next connection, and which is refused
// because it could not be finished in its time. Waiting is bounded apart from working: a connection
// must not be spent on work that is thrown away when its deadline passes in the middle.
//
// The time for which a connection is lent is kept as a moving average for each database role, since
// a look-up takes one round trip and a change takes several. Then
//
//   expected wait = sum of the averages of all work ahead in the line / connections
//
// Work is refused at once if its expected wait and the work itself take longer than the time it
// has left, and gives up waiting when the time left is no more than the work takes. A change is
// refused by the same measure before its credential is looked up, with a margin, and the look-up
// counted in.
//
// A free connection is always lent, so that averages from a bad time are corrected by new work.
// Work that goes first (revoking, and the look-ups of credentials) is done before all other work.
import type { Deadline } from '../base/deadline.ts';
import type { DoorRole } from './database.ts';
import { StoreUnavailable } from './faults.ts';

export type Asked = { role: DoorRole; deadline: Deadline; goesFirst?: boolean | undefined };

export type WaitingLine = {
  /** Resolves when a connection is free for this work; `leave` must be called after it. */
  enter(asked: Asked): Promise<void>;
  /** The connection is back; `tookMs` is how long it was lent. */
  leave(role: DoorRole, tookMs: number): void;
  /**
   * For a change whose credential has yet to be looked up: throws what `enter` would throw at once.
   * Its work counts as waiting until the function that it returns is called.
   */
  expect(asked: Asked): () => void;
};

export type LineLimits = { connections: number; waitingMax: number };

/**
 * The share of the newest measurement in an average. It begins at zero, so that the slow first work
 * of a process that has just started refuses nothing.
 */
const NEWEST_SHARE = 0.1;
/** A request is let in if its work would fit even if it took this much longer than the average. */
const MARGIN = 1.5;
/** The role that looks up credentials. */
const LOOK_UP: DoorRole = 'kr_gate';

type Waiter = { role: DoorRole; turn: PromiseWithResolvers<void>; timer: NodeJS.Timeout };

export function openWaitingLine({ connections, waitingMax }: LineLimits): WaitingLine {
  const first = new Set<Waiter>();
  const others = new Set<Waiter>();
  const work = measuredWork();
  let lent = 0;
  /** Requests that were let in, and whose credentials are being looked up. */
  let expected = 0;

  function refuseHopeless({ role, deadline, goesFirst }: Asked, workMs: number): void {
    if (first.size + others.size >= waitingMax) throw new StoreUnavailable('too many waiting');
    const aheadMs = work.aheadMs('first') + (goesFirst ? 0 : work.aheadMs('other'));
    const waitMs = (aheadMs + work.averageMs(role)) / connections;
    if (waitMs + workMs > deadline.remainingMs()) {
      throw new StoreUnavailable('it could not be finished in time');
    }
  }

  function wait({ role, deadline, goesFirst }: Asked): Promise<void> {
    const line = goesFirst ? first : others;
    const turn = Promise.withResolvers<void>();
    const counted = work.count(role, goesFirst);
    const giveUp = () => {
      line.delete(waiter);
      turn.reject(new StoreUnavailable('no connection in time'));
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
      // The connection is handed on, so the number of those lent stays the same.
      if (next) next.turn.resolve();
      else lent -= 1;
    },
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

/** For each role: how long its work takes on average, and how much of it waits. */
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
      one.averageMs += (tookMs - one.averageMs) * NEWEST_SHARE;
    },
    aheadMs: (which: 'first' | 'other'): number =>
      [...roles.values()].reduce((sum, one) => sum + one.averageMs * one[which], 0),
    /** Counts work as waiting until the function that it returns is called. */
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
