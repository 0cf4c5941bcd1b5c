// The control plane's latest responses, kept for nodes that soon send the same request. The caller
// decides whether a response is new enough for a node.
import type { RelayClock } from './clock.ts';
import type { Answer } from './upstream.ts';

const ANSWERS_MAX = 256;
const BYTES_MAX = 64 * 1024 * 1024;
export type RecentAnswers = {
  find(name: string): Answer | null;
  keep(name: string, answer: Answer): void;
};

export function createRecentAnswers(
  clock: Pick<RelayClock, 'nowMs'>,
  lifeMs: number,
): RecentAnswers {
  /** Oldest first. */
  const kept = new Map<string, { answer: Answer; at: number }>();
  let bytes = 0;

  function drop(name: string): void {
    bytes -= kept.get(name)?.answer.body.length ?? 0;
    kept.delete(name);
  }

  function dropOld(): void {
    for (const [name, { at }] of kept) {
      const isFull = kept.size > ANSWERS_MAX || bytes > BYTES_MAX;
      if (!isFull && clock.nowMs() - at < lifeMs) return;
      drop(name);
    }
  }

  return {
    find(name) {
      dropOld();
      return kept.get(name)?.answer ?? null;
    },
    keep(name, answer) {
      drop(name);
      kept.set(name, { answer, at: clock.nowMs() });
      bytes += answer.body.length;
      dropOld();
    },
  };
}
