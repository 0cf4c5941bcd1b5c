// What of a project's keys one node asks for, and how that is named in acknowledgements and ETags.
import { createHash } from 'node:crypto';
import { allEnvs, type Env, type Reach } from '../../doors/reach.ts';
import { shelvesOf } from '../keys/shelf.ts';

export type FeedFilter = {
  projectId: string;
  /** The one environment that is told, or null for all. */
  env: Env | null;
  /** The tenants that are told, sorted, or null for all. */
  tenantIds: readonly string[] | null;
};

/** A credential that reaches one environment asks for that one, whether or not it says so. */
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

/** What of the environments a node sees, as it is noted and reported. */
export type EnvScope = Env | 'all';

export const envScopeOf = ({ env }: FeedFilter): EnvScope => env ?? 'all';

const TENANTS_DIGEST_CHARS = 16;

export const tenantScopeOf = ({ tenantIds }: FeedFilter): string =>
  tenantIds
    ? createHash('sha256').update(tenantIds.join()).digest('hex').slice(0, TENANTS_DIGEST_CHARS)
    : 'all';

/** Whether a key belongs to one of the tenants that are told. */
export const isTold = ({ tenantIds }: FeedFilter, { tenantId }: { tenantId: string }): boolean =>
  tenantIds === null || tenantIds.includes(tenantId);

/** Where changed keys lie, revoked ones included. */
export const changedShelves = ({ env }: Pick<FeedFilter, 'env'>): number[] =>
  shelvesOf(env ? [env] : allEnvs, { includeRevoked: true });

/** Where the told keys lie: see shelf.ts. */
export const fedShelves = ({ env }: FeedFilter): number[] =>
  shelvesOf(env ? [env] : allEnvs, { includeRevoked: false });
