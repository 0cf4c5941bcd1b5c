// The caller of a request, after authentication.
import type { Env, Reach, Role } from '../doors/reach.ts';

export type EmbedPrincipal = {
  kind: 'embed';
  reach: Reach;
  env: Env;
  scopes: readonly string[];
  /** Origins that may present the token: in its audience, and still registered. */
  origins: readonly string[];
  expiresAt: Date;
  expiresInMs: number;
};

export type Principal =
  | { kind: 'secret_key'; reach: Reach; env: Env; isQuarantined: boolean }
  | { kind: 'session'; userId: string; sessionId: string; isVerified: boolean; reach: Reach | null }
  | EmbedPrincipal
  | { kind: 'bootstrap' }
  | { kind: 'nobody' };

/** The reach of the caller; null if the credential belongs to no workspace. */
export const reachOf = (principal: Principal): Reach | null =>
  'reach' in principal ? principal.reach : null;

/** Whether the caller is a test secret key, which the live/test boundary restricts. */
export const isTestPrincipal = (principal: Principal): boolean =>
  principal.kind === 'secret_key' && principal.env === 'test';

export const roleOf = (principal: Principal): Role | null => reachOf(principal)?.authority ?? null;
