// Which keys of a project a node asks for, and the name of that filter in ETags and node records.
import { createHash } from 'node:crypto';
import { allEnvs, type Env, type Reach } from '../../doors/reach.ts';
import { shelvesOf } from '../keys/list-partition.ts';

export type FeedFilter = {
  projectId: string;
  /** The environment in the feed, or null for all. */
  env: Env | null;
  /** The tenants in the feed, sorted, or null for all. */
  tenantIds: readonly string[] | null;
};

/** A credential that reaches only one environment gets that one, even without `env`. */
export function filterOf(
  { envs }: Reach,
  query: { project_id: string; env?: Env | undefined; tenant_id?: string[] | undefined },
): FeedFilter {
  const narrowed = envs.length < allEnvs.length ? (envs[0] ?? null) : null;
  return {
    projectId: query.project_id,
    env: query.env ?? narrowed,
    tenantIds: query.tenant_id ? [...new Set(query.tenant_id)].toSorted() : null,
  };
}

/** The environments that a node sees, as stored in its record and reported. */
export type EnvScope = Env | 'all';

export const envScopeOf = ({ env }: FeedFilter): EnvScope => env ?? 'all';

const TENANTS_DIGEST_CHARS = 16;

export const tenantScopeOf = ({ tenantIds }: FeedFilter): string =>
  tenantIds
    ? createHash('sha256').update(tenantIds.join()).digest('hex').slice(0, TENANTS_DIGEST_CHARS)
    : 'all';

/** Whether a key belongs to one of the tenants in the feed. */
export const isTold = ({ tenantIds }: FeedFilter, { tenantId }: { tenantId: string }): boolean =>
  tenantIds === null || tenantIds.includes(tenantId);

/** The list partitions that a delta reads, including those of revoked keys. */
export const changedShelves = ({ env }: Pick<FeedFilter, 'env'>): number[] =>
  shelvesOf(env ? [env] : allEnvs, { includeRevoked: true });

/** The list partitions that a snapshot reads. */
export const fedShelves = ({ env }: FeedFilter): number[] =>
  shelvesOf(env ? [env] : allEnvs, { includeRevoked: false });
