// A value outside React that components can subscribe to, such as the session or the connection.
import { useSyncExternalStore } from 'react';

type Observed<T> = {
  get(): T;
  set(next: T): void;
  subscribe(listener: () => void): () => void;
};

export function createObserved<T>(first: T): Observed<T> {
  let value = first;
  const listeners = new Set<() => void>();
  return {
    get: () => value,
    set: (next) => {
      if (Object.is(next, value)) return;
      value = next;
      for (const listener of listeners) listener();
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

export const useObserved = <T>({ subscribe, get }: Observed<T>): T =>
  useSyncExternalStore(subscribe, get);
