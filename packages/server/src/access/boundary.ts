// The live/test boundary. A test secret key can read test rows and rows without an environment, can
// create rows that don't affect anything live, and can change only test rows. The database filters
// rows by the environments in the caller's reach.
import { forbidden } from '../base/errors.ts';
import { BEYOND_BOUNDARY } from '../doors/miss.ts';
import { allEnvs, type Env } from '../doors/reach.ts';
import { isTestPrincipal, type Principal } from './principal.ts';

/**
 * The rows a route touches. `rows`: rows with an environment. `shared`: rows without one, which a
 * test key may read. `sharedCreate`: rows without one, which a test key may create. `liveOnly`: a
 * test key is denied. `none`: no environment is involved.
 */
export type Boundary = 'rows' | 'shared' | 'sharedCreate' | 'liveOnly' | 'none';

/** A live credential manages both environments; a test credential manages only test. */
export const envsOf = (env: Env): readonly Env[] => (env === 'live' ? allEnvs : ['test']);

export function refuseBeyond(principal: Principal, boundary: Boundary, isSafe: boolean): void {
  if (!isTestPrincipal(principal)) return;
  const held = boundary === 'liveOnly' || (boundary === 'shared' && !isSafe);
  if (held) throw forbidden(BEYOND_BOUNDARY);
}

/** Denies a test key's request if it specifies `env: live`, whether or not the row exists. */
export function refuseNamedEnv(principal: Principal, ...inputs: unknown[]): void {
  if (!isTestPrincipal(principal)) return;
  if (inputs.some((input) => envNamedIn(input) === 'live')) throw forbidden(BEYOND_BOUNDARY);
}

const envNamedIn = (input: unknown): unknown =>
  typeof input === 'object' && input !== null && 'env' in input ? input.env : undefined;
