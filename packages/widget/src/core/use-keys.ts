import { SECOND_MS } from '@keyrail/protocol/wire/durations.ts';
// The list of keys. It is loaded page by page and updated in place after each change.
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { nowMs } from '../clock.ts';
import { useWidget } from '../ui/context.ts';
import { type ApiKey, nextEnd } from './api-key.ts';
import { detailOf, type Problem, problemOf } from './problems.ts';
import { TokenProblem } from './refusals.ts';

export type KeyList = {
  keys: readonly ApiKey[] | null;
  hasMore: boolean;
  isLoading: boolean;
  problem: Problem | null;
  reload(): Promise<void>;
  more(): Promise<void>;
  /** Adds keys to the list, newest first, or replaces them. */
  put(...changed: ApiKey[]): void;
};

type Shown = { keys: readonly ApiKey[] | null; cursor: string | null; problem: Problem | null };

export function useKeys(includeRevoked: boolean): KeyList {
  const { connection, pageSize, words, session, emit } = useWidget();
  const [shown, setShown] = useState<Shown>({ keys: null, cursor: null, problem: null });
  const [isLoading, setLoading] = useState(false);
  const latest = useRef({ words, emit });
  latest.current = { words, emit };
  // The number of the latest read. Results of earlier reads are ignored.
  const turn = useRef(0);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new session may see other keys
  const read = useCallback(
    async (cursor: string | null) => {
      turn.current += 1;
      const mine = turn.current;
      setLoading(true);
      try {
        const page = await connection.call(async (client, signal) => {
          const query = { include_revoked: includeRevoked, limit: pageSize };
          const at = cursor === null ? query : { ...query, cursor };
          const walk = client.pages('GET /v1/embed/keys', { query: at, signal });
          return (await walk.next()).value;
        });
        if (mine !== turn.current || !page) return;
        setShown(({ keys }) => ({
          keys: cursor === null ? page.items : merged(keys ?? [], page.items),
          cursor: page.cursor,
          problem: null,
        }));
      } catch (error) {
        if (mine !== turn.current) return;
        const problem = problemOf(error, 'read', latest.current.words);
        // A missing token isn't reported here, because the element already shows a message, and the
        // page has received an event.
        if (!(error instanceof TokenProblem)) {
          setShown((before) => ({ ...before, problem }));
          latest.current.emit('error', detailOf(error, problem));
        }
      }
      if (mine === turn.current) setLoading(false);
    },
    [connection, includeRevoked, pageSize, session],
  );

  useEffect(() => {
    void read(null);
    return () => {
      turn.current += 1;
    };
  }, [read]);

  // Reloads the list one second after a key expires, because the server's clock decides when that
  // is. A list with more than one page isn't reloaded.
  const { keys } = shown;
  useEffect(() => {
    const endsMs = keys === null || keys.length > pageSize ? null : nextEnd(keys, nowMs());
    if (endsMs === null) return;
    const timer = setTimeout(() => void read(null), endsMs - nowMs() + SECOND_MS);
    return () => clearTimeout(timer);
  }, [keys, pageSize, read]);

  return {
    keys,
    hasMore: shown.cursor !== null,
    isLoading,
    problem: shown.problem,
    reload: () => read(null),
    more: () => read(shown.cursor),
    put: (...changed) =>
      setShown((before) => ({
        ...before,
        keys: merged(changed, before.keys ?? []).filter(
          ({ revoked_at }) => includeRevoked || revoked_at === null,
        ),
      })),
  };
}

/** Merges two lists, newest first, without duplicates. Keys from the first list take precedence. */
function merged(first: readonly ApiKey[], second: readonly ApiKey[]): ApiKey[] {
  const known = new Set(first.map(({ id }) => id));
  return [...first, ...second.filter(({ id }) => !known.has(id))].sort((one, other) =>
    other.created_at.localeCompare(one.created_at),
  );
}
