// Who is calling, once the credential has been believed.
import type { Env, Reach, Role } from '../doors/reach.ts';

export type EmbedPrincipal = {
  kind: 'embed';
  reach: Reach;
  env: Env;
  scopes: readonly string[];
  /** Of the pages that may present the token: in its audience, and registered still. */
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

/** The rows a caller may reach, where the credential names a workspace. */
export const reachOf = (principal: Principal): Reach | null =>
  'reach' in principal ? principal.reach : null;

/** A test secret key: what the live/test boundary holds back. */
export const isTestPrincipal = (principal: Principal): boolean =>
  principal.kind === 'secret_key' && principal.env === 'test';

export const roleOf = (principal: Principal): Role | null => reachOf(principal)?.authority ?? null;
