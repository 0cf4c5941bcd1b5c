// Batches concurrent look-ups: one statement serves many requests.

import { monotonicMs } from '../base/clock.ts';

const LOOK_UPS_PER_STATEMENT_MAX = 500;
const UNDER_WAY_MAX = 1;
// A waiting batch is held for about the duration of one look-up, so that few statements run at once
// on a slow database.
const HELD_MS_MIN = 5;
const HELD_MS_MAX = 200;
/** The weight of the newest look-up in the moving average. */
const NEWEST_SHARE = 0.2;

type Gathering<Fact> = {
  /** Requests for the same name share one result. */
  asked: Map<string, Promise<Fact | null>>;
  found: PromiseWithResolvers<Map<string, Fact>>;
  /** The event-loop turn in which the batch began is over, so it may be sent. */
  isRipe: boolean;
  timer: NodeJS.Timeout | null;
};

/**
 * A statement is sent after the last of its look-ups arrived, so each look-up sees every revocation
 * that was confirmed before it. While a statement is running, the next batch waits and grows, but
 * only for HELD_MS_MAX: the connection of the running statement may be dead.
 */
export function gathered<Fact>(
  find: (names: string[]) => Promise<Map<string, Fact>>,
): (name: string) => Promise<Fact | null> {
  let underWay = 0;
  let averageMs = 0;
  const heldMs = () => Math.min(HELD_MS_MAX, Math.max(HELD_MS_MIN, averageMs));
  let open: Gathering<Fact> | null = null;

  function send(gathering: Gathering<Fact>): void {
    if (open === gathering) open = null;
    if (gathering.timer) clearTimeout(gathering.timer);
    underWay += 1;
    const names = [...gathering.asked.keys()];
    const sentAt = monotonicMs();
    const ended = () => {
      averageMs += (monotonicMs() - sentAt - averageMs) * NEWEST_SHARE;
      next();
    };
    find(names).then(gathering.found.resolve, gathering.found.reject).finally(ended);
  }

  function next(): void {
    underWay -= 1;
    if (open?.isRipe) send(open);
  }

  function ripen(gathering: Gathering<Fact>): void {
    if (open !== gathering) return; // already sent, because it was full
    gathering.isRipe = true;
    if (underWay < UNDER_WAY_MAX) send(gathering);
    else gathering.timer = setTimeout(send, heldMs(), gathering);
  }

  function begin(): Gathering<Fact> {
    const found = Promise.withResolvers<Map<string, Fact>>();
    const gathering = { asked: new Map(), found, isRipe: false, timer: null };
    setImmediate(ripen, gathering);
    return gathering;
  }

  return (name) => {
    open ??= begin();
    const { asked, found } = open;
    const shared = asked.get(name);
    if (shared !== undefined) return shared;
    const answer = found.promise.then((facts) => facts.get(name) ?? null);
    asked.set(name, answer);
    if (asked.size >= LOOK_UPS_PER_STATEMENT_MAX) send(open);
    return answer;
  };
}
