// The shelf of a key, as the database computes it: environment and revocation in one number, which
// every index for lists begins with. A list is gathered from the shelves that it covers.
import type { Env } from '../../doors/reach.ts';

const SHELF_OF_ENV: Record<Env, number> = { live: 0, test: 2 };
const REVOKED = 1;

export const shelvesOf = (
  envs: readonly Env[],
  { includeRevoked }: { includeRevoked: boolean },
): number[] =>
  envs
    .map((env) => SHELF_OF_ENV[env])
    .flatMap((shelf) => (includeRevoked ? [shelf, shelf + REVOKED] : [shelf]));

/**
 * The type in which a list compares the shelf. Each index has it in another one, so that a list can
 * be read off one index alone: by tenant, by project, or of the whole workspace.
 */
export function shelfTypeFor(filter: {
  projectId?: string | undefined;
  tenantId?: string | undefined;
}): 'bigint' | 'smallint' | 'int' {
  if (filter.tenantId !== undefined) return 'bigint';
  return filter.projectId === undefined ? 'int' : 'smallint';
}
