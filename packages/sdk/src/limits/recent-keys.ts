// A map of bounded size, made of two generations. An entry moves to the newer generation when it is
// used. When the newer generation is full, it replaces the older one, whose remaining entries are
// dropped.

type RecentKeys<T> = {
  get(keyId: string): T | undefined;
  set(keyId: string, value: T): void;
  values(): T[];
};

/** `generationMax`: the maximum number of keys in each generation. */
export function createRecentKeys<T>(generationMax: number): RecentKeys<T> {
  let newer = new Map<string, T>();
  let older = new Map<string, T>();

  function set(keyId: string, value: T): void {
    if (newer.size >= generationMax) {
      older = newer;
      newer = new Map();
    }
    newer.set(keyId, value);
  }

  return {
    get(keyId) {
      const known = newer.get(keyId);
      if (known !== undefined) return known;
      const old = older.get(keyId);
      if (old === undefined) return undefined;
      older.delete(keyId);
      set(keyId, old);
      return old;
    },
    set,
    values: () => [...older.values(), ...newer.values()],
  };
}
