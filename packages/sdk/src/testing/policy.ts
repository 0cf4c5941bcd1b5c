// A project's in-memory policy, which responds like the policy feed.
import { randomUUID } from 'node:crypto';
import type { PolicyChange, PolicyEntry } from '@keyrail/protocol/objects/policy.ts';
import { lookupHash, mintCredential } from '@keyrail/protocol/wire/key-format.ts';
import type { Env, RateLimitRule } from '../api/context.ts';

/** A key for tests; all fields are optional. */
export type TestKey = {
  /** `live` by default. */
  env?: Env | undefined;
  /** A new tenant by default. */
  tenantId?: string | undefined;
  scopes?: readonly string[] | undefined;
  expiresAt?: Date | undefined;
  rateLimits?: readonly RateLimitRule[] | undefined;
  /** The key's metadata, for nodes with the option `include`. */
  meta?: Record<string, unknown> | undefined;
  tenantExternalId?: string | undefined;
  /** The full text of an imported key; if absent, a new Keyrail key is created. */
  imported?: string | undefined;
};

/** Returns `size` random bytes. */
export type RandomBytes = (size: number) => Uint8Array;

export type IssuedKey = { key: string; keyId: string; tenantId: string };

export type TestPolicy = {
  readonly workspaceId: string;
  version(): number;
  issue(key: TestKey): IssuedKey;
  /** Revokes a key; false if there is no such key. */
  revoke(keyText: string): boolean;
  /** Returns one page of the snapshot, with at most `page.mostKeys` keys. */
  snapshot(filter: KeyFilter, page: Page): object;
  /**
   * Returns the changes since a version: null if there are none, a snapshot if there are more than
   * `mostKeys`.
   */
  delta(since: number, filter: KeyFilter, mostKeys: number): object | null;
  /** Resolves at the next change, or when the signal aborts. */
  changed(signal: AbortSignal | null | undefined): Promise<void>;
};

/** The keys that a node requests: one environment's, some tenants', or all of them. */
export type KeyFilter = {
  env: Env | null;
  tenantIds: readonly string[];
  include: readonly string[];
};

/**
 * `after` contains the first page's version and the position to continue from; null for the first
 * page.
 */
type Page = { after: string | null; mostKeys: number };

type Row = { entry: PolicyEntry; isRevoked: boolean; version: number };

export function createTestPolicy(
  projectId: string,
  now: () => number,
  randomBytes: RandomBytes,
): TestPolicy {
  const workspaceId = randomUUID();
  const rows = new Map<string, Row>();
  const waiting = new Set<() => void>();
  let version = 1;

  const head = ({ env }: KeyFilter) => ({
    workspace_id: workspaceId,
    project_id: projectId,
    env,
    version,
    project_deleted: false,
    generated_at: new Date(now()).toISOString(),
  });
  const bump = (keyText: string, row: Omit<Row, 'version'>) => {
    version += 1;
    rows.set(keyText, { ...row, version });
    for (const wake of waiting) wake();
    waiting.clear();
  };

  const snapshot: TestPolicy['snapshot'] = (filter, page) => {
    const asked = [...rows.values()].filter(isIn(filter));
    const shown = asked.map((row) => ({ ...row, entry: shownOf(row.entry, filter) }));
    return { object: 'policy_snapshot', ...head(filter), ...pageOf(shown, page, version) };
  };

  return {
    workspaceId,
    version: () => version,
    issue: (key) => {
      const { secret, entry } = newEntry(key, randomBytes);
      bump(secret, { entry, isRevoked: false });
      return { key: secret, keyId: entry.key_id, tenantId: entry.tenant_id };
    },
    revoke: (keyText) => {
      const row = rows.get(keyText);
      if (row && !row.isRevoked) bump(keyText, { ...row, isRevoked: true });
      return row !== undefined;
    },
    snapshot,
    delta: (since, filter, mostKeys) => {
      if (since >= version) return null;
      const changed = [...rows.values()].filter((row) => row.version > since);
      const changes = changed.filter(isIn(filter)).map((row) => changeOf(row, filter));
      if (changes.length > mostKeys) return snapshot(filter, { after: null, mostKeys });
      return { object: 'policy_delta', ...head(filter), since, changes };
    },
    changed: (signal) =>
      new Promise((resolve) => {
        waiting.add(resolve);
        signal?.addEventListener('abort', () => resolve(), { once: true });
      }),
  };
}

/**
 * Revoked keys keep their position, so that a revocation between two pages does not cause a key to
 * be skipped.
 */
function pageOf(rows: readonly Row[], { after, mostKeys }: Page, current: number) {
  const [version = current, from = 0] = after?.split('.').map(Number) ?? [];
  const live = [...rows.entries()].filter(([at, { isRevoked }]) => at >= from && !isRevoked);
  const [next] = live[mostKeys] ?? [null];
  const keys = live.slice(0, mostKeys).map(([, { entry }]) => entry);
  return { version, keys, next_cursor: next === null ? null : `${version}.${next}` };
}

const isIn =
  ({ env, tenantIds }: KeyFilter) =>
  ({ entry }: Row): boolean =>
    (env === null || env === entry.env) &&
    (tenantIds.length === 0 || tenantIds.includes(entry.tenant_id));

/** Returns the entry with only those additional fields that the node requests. */
function shownOf(entry: PolicyEntry, { include }: KeyFilter): PolicyEntry {
  const { meta, tenant_external_id, ...usual } = entry;
  return {
    ...usual,
    ...(include.includes('meta') && { meta }),
    ...(include.includes('external_id') && { tenant_external_id }),
  };
}

function changeOf({ entry, isRevoked }: Row, filter: KeyFilter): PolicyChange {
  if (!isRevoked) return { change: 'upsert', ...shownOf(entry, filter) };
  const { key_id, tenant_id, env, lookup_hash } = entry;
  return { change: 'remove', key_id, tenant_id, env, lookup_hash, reason: 'revoked' };
}

function newEntry(key: TestKey, randomBytes: RandomBytes): { secret: string; entry: PolicyEntry } {
  const { env = 'live', tenantId = randomUUID(), scopes = [], rateLimits = [] } = key;
  const { secret, displayPrefix, hash, ...mark } =
    key.imported === undefined ? minted(env, randomBytes) : importedAs(key.imported);
  const entry: PolicyEntry = {
    key_id: randomUUID(),
    tenant_id: tenantId,
    env,
    lookup_hash: hash,
    display_prefix: displayPrefix,
    scopes: [...scopes],
    expires_at: key.expiresAt?.toISOString() ?? null,
    rate_limits: rateLimits.map(({ id, limit, windowMs, algorithm, scope }) => ({
      id,
      limit,
      window_ms: windowMs,
      algorithm,
      scope,
    })),
    meta: key.meta ?? {},
    tenant_external_id: key.tenantExternalId ?? tenantId,
    ...mark,
  };
  return { secret, entry };
}

function minted(env: Env, randomBytes: RandomBytes) {
  const { secret, displayPrefix, lookupHash: hash } = mintCredential('api_key', env, randomBytes);
  return { secret, displayPrefix, hash };
}

const importedAs = (text: string) => ({
  secret: text,
  displayPrefix: 'imported',
  hash: lookupHash(text),
  imported: true as const,
});
