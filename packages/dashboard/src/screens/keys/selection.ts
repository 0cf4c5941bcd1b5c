// The selected rows. Their number is limited, because changing each key takes a separate request.
import { useCallback, useRef, useState } from 'react';
import type { ApiKey } from './names.ts';

export const SELECTED_MAX = 100;

export type Selection = {
  keys: readonly ApiKey[];
  isAll: boolean;
  isFull: boolean;
  has(id: string): boolean;
  /** The same function on every render, so that unchanged pages aren't rendered again. */
  toggle(id: string): void;
  toggleAll(): void;
  clear(): void;
};

/** A row that a filter hides is no longer selected. */
export function useSelection(rows: readonly ApiKey[]): Selection {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  const selectable = rows.filter(({ revoked_at }) => revoked_at === null);
  const keys = selectable.filter(({ id }) => ids.has(id));
  const most = selectable.slice(0, SELECTED_MAX);
  const isAll = most.length > 0 && most.every(({ id }) => ids.has(id));
  const current = useRef(keys);
  current.current = keys;
  const toggle = useCallback((id: string) => {
    const next = new Set(current.current.map((key) => key.id));
    if (!next.delete(id) && next.size < SELECTED_MAX) next.add(id);
    setIds(next);
  }, []);
  return {
    keys,
    isAll,
    isFull: keys.length >= SELECTED_MAX,
    has: (id) => ids.has(id),
    toggle,
    toggleAll: () => setIds(new Set(isAll ? [] : most.map(({ id }) => id))),
    clear: () => setIds(new Set()),
  };
}
