// Nodes with the same request share one request to the control plane:
//
//   node ─┐
//   node ─┼─▶ one request upstream ─▶ a policy: every node gets it
//   node ─┘                       └─▶ no change (304): nodes whose time is up get it, and the
//                                     request is made again for the others
//
// Each node waits as long as it asked to, so that nodes do not all poll again at the same moment. A
// node whose time is up between two responses gets the last 304, which is at most one wait old.
import type { RelayClock } from './clock.ts';
import type { RecentAnswers } from './recent-answers.ts';
import { type Answer, Unreachable } from './upstream.ts';

export type SharedQuestion = {
  /** Identifies the secret key and everything else the response depends on. */
  name: string;
  waitMs: number;
  /** The oldest policy version that the node may get; null if any will do. */
  least: number | null;
  /** Whether the control plane has just accepted the secret key for another request. */
  isAdmitted: boolean;
  ask(signal: AbortSignal): Promise<Answer>;
};

/** Called with the response, or with the reason why there is none. */
type Settle = (outcome: Answer | Unreachable) => void;

type SharedPolls = {
  /**
   * Calls `settle` once, unless the returned function is called first because the node has
   * disconnected. Uses neither promises nor signals, because all nodes get their responses at the
   * same moment, and the last one has to wait for all the others (`npm run bench -- relay`).
   */
  wait(question: SharedQuestion, settle: Settle): () => void;
  /** The number of waiting nodes. */
  held(): number;
  /** Rejects all waiting nodes, and any that poll later. */
  close(): void;
};

type Waiter = {
  question: SharedQuestion;
  isOverdue: boolean;
  settle: Settle;
};

type Poll = {
  waiters: Set<Waiter>;
  /** The last response, if it was a 304; otherwise null. */
  same: { answer: Answer; at: number } | null;
  stop: AbortController;
};

export const HELD_MAX = 20_000;
/**
 * A node may get a 304 that is older than the node's own wait by at most this much. Some margin is
 * needed, because the wait and the upstream request never begin at exactly the same moment.
 */
const LATE_MS = 2_000;
/**
 * After this many responses in a row that are too old for a waiting node, the waiting nodes are
 * rejected. One such response is normal right after a change.
 */
const MISFITS_MAX = 3;

export function createSharedPolls(recent: RecentAnswers, clock: RelayClock): SharedPolls {
  const polls = new Map<string, Poll>();
  let held = 0;
  let isClosed = false;

  async function run(poll: Poll, { name, ask, waitMs }: SharedQuestion): Promise<void> {
    let misfits = 0;
    while (poll.waiters.size > 0) {
      const beganAt = clock.nowMs();
      const outcome = await ask(poll.stop.signal).catch(unreachable);
      const now = clock.nowMs();
      const isAnswer = !(outcome instanceof Unreachable);
      if (isAnswer && outcome.status === 200) recent.keep(name, outcome);
      const isSame = isAnswer && outcome.status === 304;
      poll.same = isSame ? { answer: outcome, at: now } : null;
      // If the control plane responds without waiting, it must not be polled again immediately.
      const isEarly = now - beganAt < waitMs / 2;
      let isMisfit = false;
      for (const waiter of poll.waiters) {
        if (!isFor(waiter, outcome)) isMisfit = true;
        else if (!isSame || isEarly || waiter.isOverdue) waiter.settle(outcome);
      }
      misfits = isMisfit ? misfits + 1 : 0;
      if (misfits < MISFITS_MAX) continue;
      for (const waiter of poll.waiters)
        waiter.settle(new Unreachable('no policy is recent enough'));
    }
  }

  function begin(question: SharedQuestion): Poll {
    const { name } = question;
    const poll: Poll = { waiters: new Set(), same: null, stop: new AbortController() };
    polls.set(name, poll);
    // Deferred, so that the first waiter has joined when the loop begins.
    queueMicrotask(() => {
      void run(poll, question).finally(() => {
        if (polls.get(name) === poll) polls.delete(name);
      });
    });
    return poll;
  }

  /**
   * If this was the last waiter, cancels the poll and removes it, so that no other node joins it.
   */
  function leave(poll: Poll, waiter: Waiter): void {
    const { name } = waiter.question;
    if (!poll.waiters.delete(waiter)) return;
    held -= 1;
    if (poll.waiters.size > 0) return;
    if (polls.get(name) === poll) polls.delete(name);
    poll.stop.abort();
  }

  return {
    wait(question, settle) {
      const { name, waitMs, isAdmitted } = question;
      const known = isAdmitted ? recent.find(name) : null;
      if (known && isNewEnough(known, question)) {
        settle(known);
        return nothing;
      }
      if (isClosed || held >= HELD_MAX) {
        settle(new Unreachable('too many nodes are waiting'));
        return nothing;
      }
      const poll = polls.get(name) ?? begin(question);
      const waiter: Waiter = {
        question,
        isOverdue: waitMs === 0,
        settle(outcome) {
          gone();
          settle(outcome);
        },
      };
      const cancel = clock.after(waitMs, () => {
        waiter.isOverdue = true;
        const { same } = poll;
        const isFresh = same && clock.nowMs() - same.at < waitMs + LATE_MS;
        if (isFresh && isFor(waiter, same.answer)) waiter.settle(same.answer);
      });
      const gone = (): void => {
        cancel();
        leave(poll, waiter);
      };
      poll.waiters.add(waiter);
      held += 1;
      return gone;
    },
    held: () => held,
    close() {
      isClosed = true;
      for (const { waiters } of [...polls.values()]) {
        for (const waiter of waiters) waiter.settle(new Unreachable('the relay is stopping'));
      }
    },
  };
}

const nothing = (): void => {};

const unreachable = (error: unknown): Unreachable =>
  error instanceof Unreachable ? error : new Unreachable(String(error));

/** Whether a waiter may get this outcome. Every waiter gets rejections and failures. */
function isFor({ question }: Waiter, outcome: Answer | Unreachable): boolean {
  if (outcome instanceof Unreachable) return true;
  if (outcome.status !== 200 && outcome.status !== 304) return true;
  return isNewEnough(outcome, question);
}

const isNewEnough = ({ version }: Answer, { least }: SharedQuestion): boolean =>
  least === null || version === null || version >= least;
