// A key's list partition is the generated column `shelf`, a number that encodes its environment and
// whether it is revoked. Every list index starts with this column, and a list query reads each
// partition that it covers.
import type { KeyState } from '@keyrail/protocol/wire/key-states.ts';
import type { Env } from '../../doors/reach.ts';

const PARTITION_OF_ENV: Record<Env, number> = { live: 0, test: 2 };
const REVOKED = 1;

export const partitionsOf = (
  envs: readonly Env[],
  { includeRevoked }: { includeRevoked: boolean },
): number[] =>
  envs
    .map((env) => PARTITION_OF_ENV[env])
    .flatMap((kept) => (includeRevoked ? [kept, kept + REVOKED] : [kept]));

/** Returns the list partitions to read. With a state filter, `includeRevoked` is ignored. */
export const partitionsIn = (
  envs: readonly Env[],
  { state, includeRevoked }: { state?: KeyState | undefined; includeRevoked: boolean },
): number[] =>
  state === 'revoked'
    ? envs.map((env) => PARTITION_OF_ENV[env] + REVOKED)
    : partitionsOf(envs, { includeRevoked: includeRevoked && state === undefined });

/** The partition's type in the search indexes; see `partitionTypeFor`. */
export const SEARCH_PARTITION_TYPE = 'real';

/**
 * The SQL type to which a list casts the partition. The indexes by tenant, by project and by
 * workspace, and the search indexes, each use a different type, so the planner can only choose the
 * right one.
 */
export function partitionTypeFor(filter: {
  projectId?: string | undefined;
  tenantId?: string | undefined;
}): 'bigint' | 'smallint' | 'int' {
  if (filter.tenantId !== undefined) return 'bigint';
  return filter.projectId === undefined ? 'int' : 'smallint';
}
