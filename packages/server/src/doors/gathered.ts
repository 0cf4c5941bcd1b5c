// Look-ups that are asked for together are sent together: one statement for many requests.

import { monotonicMs } from '../base/clock.ts';

const LOOK_UPS_PER_STATEMENT_MAX = 500;
const UNDER_WAY_MAX = 1;
/** About as long as a look-up takes, so that few are under way at once on a slow database. */
const [HELD_MS_MIN, HELD_MS_MAX] = [5, 200];
/** The share of the newest look-up in the average. */
const NEWEST_SHARE = 0.2;

type Gathering<Fact> = {
  /** Those who ask for the same thing share its answer. */
  asked: Map<string, Promise<Fact | null>>;
  found: PromiseWithResolvers<Map<string, Fact>>;
  /** The turn in which it was begun is over, so that it may go as soon as there is room. */
  isRipe: boolean;
  timer: NodeJS.Timeout | null;
};

/**
 * A statement is sent after the last of its look-ups came in, so that each still sees every
 * revocation that was answered before it was sent. While others are under way the next one waits
 * and grows, but never for long: what holds those up may be a connection that died.
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
    if (open !== gathering) return; // full, and sent already
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
