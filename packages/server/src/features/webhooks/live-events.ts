// An endpoint without an environment also gets live events, so a test key can't create one.
import { forbidden } from '../../base/errors.ts';
import { BEYOND_BOUNDARY } from '../../doors/miss.ts';
import type { Env, Reach } from '../../doors/reach.ts';

export function refuseLiveEvents({ envs }: Reach, env: Env | null): void {
  if (!envs.includes(env ?? 'live')) throw forbidden(BEYOND_BOUNDARY);
}
