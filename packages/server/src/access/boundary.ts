// The live/test boundary, whole. A test secret key reads test rows and what belongs to no
// environment, creates where a new thing reaches nothing live, and changes test rows only. Rows
// themselves are filtered by the database (the reach says which environments exist).
import { forbidden } from '../base/errors.ts';
import { BEYOND_BOUNDARY } from '../doors/miss.ts';
import { allEnvs, type Env } from '../doors/reach.ts';
import { isTestPrincipal, type Principal } from './principal.ts';

/**
 * What a route touches. `rows`: rows that carry an environment. `shared`: rows that carry none, to
 * be read. `sharedCreate`: the same, and this line only creates. `liveOnly`: not for a test key at
 * all. `none`: no environment is involved.
 */
export type Boundary = 'rows' | 'shared' | 'sharedCreate' | 'liveOnly' | 'none';

/** A live credential manages both environments; a test one exists in its own. */
export const envsOf = (env: Env): readonly Env[] => (env === 'live' ? allEnvs : ['test']);

export function refuseBeyond(principal: Principal, boundary: Boundary, isSafe: boolean): void {
  if (!isTestPrincipal(principal)) return;
  const held = boundary === 'liveOnly' || (boundary === 'shared' && !isSafe);
  if (held) throw forbidden(BEYOND_BOUNDARY);
}

/** An environment named in a request counts as reached, whether or not any row is there. */
export function refuseNamedEnv(principal: Principal, ...inputs: unknown[]): void {
  if (!isTestPrincipal(principal)) return;
  if (inputs.some((input) => envNamedIn(input) === 'live')) throw forbidden(BEYOND_BOUNDARY);
}

const envNamedIn = (input: unknown): unknown =>
  typeof input === 'object' && input !== null && 'env' in input ? input.env : undefined;
