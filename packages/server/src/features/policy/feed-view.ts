// Decides which keys in a project's feed a node sees, and builds the feed's ETags and cursors.
import { createHash } from 'node:crypto';
import type { FeedInclude } from '@keyrail/protocol/wire/feed-include.ts';
import { invalid, notFound } from '../../base/errors.ts';
import { allEnvs, type Env, type Reach } from '../../doors/reach.ts';
import { partitionsOf } from '../keys/list-partition.ts';

export type FeedFilter = {
  projectId: string;
  /** The environment in the feed; null for both. */
  env: Env | null;
  /** The IDs of the tenants in the feed, sorted; null for all tenants. */
  tenantIds: readonly string[] | null;
  /** The optional fields to include in entries, sorted by name. */
  include: readonly FeedInclude[];
  /**
   * The features that the node can enforce and this server knows, sorted. Keys that require any
   * other feature aren't sent to the node.
   */
  understands: readonly string[];
};

/** A credential limited to one environment gets that environment even if `env` is omitted. */
export function filterOf(
  { envs, projectIds }: Reach,
  query: {
    project_id: string;
    env?: Env | undefined;
    tenant_id?: string[] | undefined;
    include?: FeedInclude[] | undefined;
    understands?: string[] | undefined;
  },
  features: readonly string[],
): FeedFilter {
  if (projectIds && !projectIds.includes(query.project_id)) throw notFound('project');
  const narrowed = envs.length < allEnvs.length ? (envs[0] ?? null) : null;
  return {
    projectId: query.project_id,
    env: query.env ?? narrowed,
    tenantIds: query.tenant_id ? [...new Set(query.tenant_id)].toSorted() : null,
    include: query.include ?? [],
    understands: knownOf(query.understands, features),
  };
}

/**
 * Ignores features that this server doesn't know, so that newer nodes can share responses with
 * other nodes.
 */
export const knownOf = (words: readonly string[] = [], features: readonly string[]): string[] =>
  words.filter((word) => features.includes(word));

/** Whether a key belongs to one of the tenants in the feed. */
export const isInFeed = ({ tenantIds }: FeedFilter, { tenantId }: { tenantId: string }): boolean =>
  tenantIds === null || tenantIds.includes(tenantId);

/**
 * The list partitions (one per environment and revocation state) that a delta reads, including
 * those of revoked keys.
 */
export const deltaPartitions = ({ env }: Pick<FeedFilter, 'env'>): number[] =>
  partitionsOf(env ? [env] : allEnvs, { includeRevoked: true });

/** The list partitions that a snapshot reads, which exclude those of revoked keys. */
export const snapshotPartitions = ({ env }: FeedFilter): number[] =>
  partitionsOf(env ? [env] : allEnvs, { includeRevoked: false });

/**
 * A node's env scope says which environments it follows. Node records and responses contain these
 * values.
 */
export const envScopes = ['all', ...allEnvs] as const;
export type EnvScope = (typeof envScopes)[number];

export const envScopeOf = ({ env }: FeedFilter): EnvScope => env ?? 'all';

/**
 * Returns the env scopes of the nodes that a credential may see. If `env` is given, only scopes
 * that include `env`.
 */
export function visibleScopes({ envs }: Pick<Reach, 'envs'>, env: Env | undefined): EnvScope[] {
  if (envs.length < allEnvs.length) return [...envs];
  return ['all', ...(env ? [env] : allEnvs)];
}

const TENANTS_DIGEST_CHARS = 16;

const tenantScopeOf = ({ tenantIds }: FeedFilter): string =>
  tenantIds
    ? createHash('sha256').update(tenantIds.join()).digest('hex').slice(0, TENANTS_DIGEST_CHARS)
    : 'all';

/**
 * The feed's name in ETags and cursors. Without `include` and `understands`, the name is the same
 * as in earlier releases.
 */
const feedName = (filter: FeedFilter): string =>
  [filter.projectId, envScopeOf(filter), contentOf(filter)].join(':');

const contentOf = (filter: FeedFilter): string =>
  [tenantScopeOf(filter), ...filter.include, ...filter.understands].join('+');

export const etagOf = (kind: 'snap' | 'delta', filter: FeedFilter, version: number): string =>
  `W/"${kind}:${feedName(filter)}:${version}"`;

/**
 * Whether If-None-Match lists the ETag of the response. The comparison is weak, as RFC 9110
 * requires, because a proxy may have turned a weak tag into a strong one.
 */
export const isKnownEtag = (ifNoneMatch: string | undefined, etag: string): boolean =>
  (ifNoneMatch ?? '')
    .split(',')
    .map((known) => known.trim())
    .some((known) => known === '*' || opaque(known) === opaque(etag));

const opaque = (etag: string): string => etag.replace(/^W\//, '');

/** A key's position in the order of a snapshot. */
export type EntryPosition = { shelf: number; createdAt: Date; id: string };

/** A cursor contains the feed's name, the first page's version, and the last key on the page. */
export const cursorPositionOf = (
  { shelf, createdAt, id }: EntryPosition,
  version: number,
  filter: FeedFilter,
): string[] => [feedName(filter), String(version), String(shelf), createdAt.toISOString(), id];

/** Rejects a cursor from a different project or filter, because it would skip keys. */
export function readCursorPosition(
  position: readonly string[],
  filter: FeedFilter,
): EntryPosition & { version: number } {
  const [feed, version, shelf, createdAt = '', id = ''] = position;
  if (feed !== feedName(filter)) {
    throw invalid('query', [
      { path: 'cursor', message: 'This cursor belongs to a different feed.' },
    ]);
  }
  return { version: Number(version), shelf: Number(shelf), createdAt: new Date(createdAt), id };
}

type SizedEntry = { scopes: readonly string[]; metaBytes?: number };

/** The size of a feed entry's variable-length parts: its scopes and `meta`. */
export const entryChars = ({ scopes, metaBytes = 0 }: SizedEntry): number =>
  scopes.reduce((all, { length }) => all + length, metaBytes);

/**
 * The maximum number of versions that one delta spans. Each version costs an index lookup, even if
 * it changed no keys.
 */
export const VERSIONS_PER_DELTA_MAX = 10_000;
