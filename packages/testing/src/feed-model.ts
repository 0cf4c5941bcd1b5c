// A project's policy feed in memory, for simulations: each key with its last change, each change
// with its version, and the oldest version that a delta can start from (the floor). A reader keeps
// the state it started with, as in a repeatable-read transaction, and gets the rows that the
// product's SQL statements would return.
import { allEnvs, type Env } from '@keyrail/server/doors/reach.ts';
import type { EntryPosition, FeedFilter } from '@keyrail/server/features/policy/feed-view.ts';
import type {
  ChangeRow,
  EntryRow,
  FeedHead,
  FeedSource,
} from '@keyrail/server/features/policy/rows.ts';

export const PROJECT = '00000000-0000-7000-8000-000000000001';

type ModelKey = Omit<ChangeRow, 'version' | 'isUnsupported'> & {
  changeId: number;
  meta: Record<string, unknown>;
  /** The features that nodes must be able to enforce. */
  requires: readonly string[];
};

/** Immutable, so that each reader keeps its own snapshot. */
type FeedState = {
  head: FeedHead;
  keys: ReadonlyMap<string, ModelKey>;
  /** The version of each change that has not been pruned. */
  versions: ReadonlyMap<number, number>;
};

type KeyPatch = Partial<
  Pick<
    ModelKey,
    | ('meta' | 'scopes' | 'expiresAt' | 'rateLimits' | 'requires')
    | ('isRevoked' | 'isDisabled' | 'isRetired')
  >
>;

export class FeedModel {
  state: FeedState = {
    head: {
      workspaceId: '00000000-0000-7000-8000-000000000000',
      version: 1,
      floor: 1,
      isDeleted: false,
      defaultRateLimits: [],
    },
    keys: new Map(),
    versions: new Map(),
  };
  /** The state at each version, for comparison with a node's policy. */
  readonly past = new Map<number, FeedState>([[1, this.state]]);
  #created = 0;
  #changes = 0;

  create(env: Env, tenantId: string, expiresAt: Date | null): void {
    this.#created += 1;
    const id = `00000000-0000-7000-9000-${String(this.#created).padStart(12, '0')}`;
    const key: ModelKey = {
      id,
      tenantId,
      env,
      expiresAt,
      lookupHash: id.replaceAll('-', '').repeat(2),
      displayPrefix: 'kr_…',
      scopes: [],
      rateLimits: null,
      isImported: false,
      shelf: shelfOf(env),
      // Several keys share a creation time, so that their IDs determine their order.
      createdAt: new Date(Math.floor(this.#created / 3)),
      changeId: 0,
      isRevoked: false,
      isDisabled: false,
      isRetired: false,
      meta: {},
      requires: [],
    };
    this.#write([key]);
  }

  /** Changes all these keys in a single version. */
  change(ids: readonly string[], patch: KeyPatch): void {
    const touched = ids.flatMap((id) => this.state.keys.get(id) ?? []);
    if (touched.length > 0) this.#write(touched.map((key) => ({ ...key, ...patch })));
  }

  /** Changes the limits that all keys inherit, so nodes must load a new snapshot. */
  changeDefaults(limit: number): void {
    const rule = { id: 'all', limit, window_ms: 1000, algorithm: 'fixed', scope: 'key' } as const;
    this.#write([], { defaultRateLimits: [rule], floor: this.state.head.version + 1 });
  }

  remove(): void {
    const keys = [...this.state.keys.values()].filter(({ isRevoked }) => !isRevoked);
    this.#write(
      keys.map((key) => ({ ...key, isRevoked: true })),
      { isDeleted: true },
    );
  }

  /**
   * Deletes the changes up to a version, and raises the floor. The policy version stays the same.
   */
  prune(upTo: number): void {
    const { head, versions } = this.state;
    this.state = {
      ...this.state,
      head: { ...head, floor: Math.max(head.floor, upTo) },
      versions: new Map([...versions].filter(([, version]) => version > upTo)),
    };
  }

  #write(touched: readonly ModelKey[], head: Partial<FeedHead> = {}): void {
    this.#changes += 1;
    const changeId = this.#changes;
    const version = this.state.head.version + 1;
    this.state = {
      head: { ...this.state.head, ...head, version },
      keys: new Map([
        ...this.state.keys,
        ...touched.map((key): [string, ModelKey] => [key.id, { ...key, changeId }]),
      ]),
      versions: new Map([...this.state.versions, [changeId, version]]),
    };
    this.past.set(version, this.state);
  }
}

const shelfOf = (env: Env): number => 2 * allEnvs.indexOf(env);

const isInFeed = (key: ModelKey, { env, tenantIds }: FeedFilter): boolean =>
  (env === null || key.env === env) && (tenantIds === null || tenantIds.includes(key.tenantId));

/** Returns the keys a node with this filter must have in this state. */
export const keysIn = ({ keys }: Pick<FeedState, 'keys'>, filter: FeedFilter): ModelKey[] =>
  unretiredIn({ keys }, filter).filter((key) => !isUnsupported(key, filter));

/**
 * Like `keysIn`, but includes keys that the node doesn't get because it can't enforce a feature
 * they require.
 */
const unretiredIn = ({ keys }: Pick<FeedState, 'keys'>, filter: FeedFilter): ModelKey[] =>
  [...keys.values()]
    .filter((key) => !key.isRevoked && !key.isDisabled && !key.isRetired)
    .filter((key) => isInFeed(key, filter));

const isUnsupported = (
  { requires }: Pick<ModelKey, 'requires'>,
  { understands }: FeedFilter,
): boolean => !requires.every((feature) => understands.includes(feature));

/**
 * Reads from a single state of the feed. Before each read, other simulated nodes and changes may
 * get a turn.
 */
export const readingOf = (state: FeedState, turn: () => Promise<void>): FeedSource => ({
  now: new Date(0),
  loadHead: async () => {
    await turn();
    return state.head;
  },
  listEntries: async (filter, { after, limit }) => {
    await turn();
    return unretiredIn(state, filter)
      .toSorted(byPosition)
      .filter((key) => after === null || byPosition(after, key) < 0)
      .slice(0, limit)
      .map((key) => rowOf(key, filter));
  },
  listChanges: async (filter, { since, after, limit }) => {
    await turn();
    return [...state.keys.values()]
      .flatMap((key): ChangeRow[] => {
        const version = state.versions.get(key.changeId) ?? 0;
        const isWanted = version > since && isInFeed(key, filter);
        return isWanted ? [{ ...rowOf(key, filter), version }] : [];
      })
      .toSorted((a, b) => a.version - b.version || (a.id < b.id ? -1 : 1))
      .filter((row) => after === null || isAfter(row, after))
      .slice(0, limit);
  },
  listDetails: async ({ include }, ids) => {
    await turn();
    return ids.flatMap((id) => {
      const key = state.keys.get(id);
      return key ? [{ id, ...detailsOf(key, include) }] : [];
    });
  },
});

const rowOf = ({ meta: _, requires, ...row }: ModelKey, filter: FeedFilter) => ({
  ...row,
  isUnsupported: isUnsupported({ requires }, filter),
});

/** The fields of a key that the feed only includes if a node asks for them. */
export const detailsOf = (
  { meta, tenantId }: ModelKey,
  include: FeedFilter['include'],
): Pick<EntryRow, 'meta' | 'tenantExternalId'> => ({
  ...(include.includes('meta') && { meta }),
  ...(include.includes('external_id') && { tenantExternalId: `ext ${tenantId}` }),
});

const isAfter = (row: ChangeRow, after: ChangeRow): boolean =>
  row.version > after.version || (row.version === after.version && row.id > after.id);

/** The snapshot's order: by environment, then newest first. */
function byPosition(a: EntryPosition, b: EntryPosition): number {
  const byTime = a.shelf - b.shelf || b.createdAt.getTime() - a.createdAt.getTime();
  if (byTime !== 0 || a.id === b.id) return byTime;
  return a.id > b.id ? -1 : 1;
}
