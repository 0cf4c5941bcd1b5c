// A request's caller, after authentication.
import { assert } from '../base/assert.ts';
import { ApiError } from '../base/errors.ts';
import type { Env, Reach, Role } from '../doors/reach.ts';

export type EmbedPrincipal = {
  kind: 'embed';
  reach: Reach;
  env: Env;
  scopes: readonly string[];
  /** Origins allowed to use the token: those in its audience that are still registered. */
  origins: readonly string[];
  expiresAt: Date;
  expiresInMs: number;
};

export type Principal =
  | {
      kind: 'secret_key';
      reach: Reach;
      env: Env;
      isQuarantined: boolean;
      /** Null if the key may be used from any address. */
      isAllowedFrom: ((address: string) => boolean) | null;
    }
  | { kind: 'session'; userId: string; sessionId: string; isVerified: boolean; reach: Reach | null }
  | EmbedPrincipal
  | { kind: 'bootstrap' }
  | { kind: 'nobody' };

/**
 * What the caller can access (its reach); null if the credential doesn't belong to a workspace.
 */
export const reachOf = (principal: Principal): Reach | null =>
  'reach' in principal ? principal.reach : null;

/** Whether the caller is a test secret key, which the live/test boundary restricts. */
export const isTestPrincipal = (principal: Principal): boolean =>
  principal.kind === 'secret_key' && principal.env === 'test';

export const roleOf = (principal: Principal): Role | null => reachOf(principal)?.authority ?? null;

/** The signed-in user behind a session. */
export function personOf(principal: Principal): Extract<Principal, { kind: 'session' }> {
  assert(principal.kind === 'session', 'a session-only endpoint was called without a session');
  return principal;
}

/** Denies users with an unverified email address. Other credentials pass. */
export function refuseUnverified(principal: Principal): void {
  if (principal.kind === 'session' && !principal.isVerified) throw new ApiError('email_unverified');
}

/** Returns an embed token's holder, and the tenant and project in which it can create keys. */
export function embeddedIn(principal: Principal): {
  holder: EmbedPrincipal;
  tenantId: string;
  projectId: string;
} {
  assert(principal.kind === 'embed', 'an embed API endpoint was called without an embed token');
  const { tenantId, projectIds: [projectId] = [] } = principal.reach;
  assert(
    tenantId !== undefined && projectId !== undefined,
    'an embed token has no tenant or project',
  );
  return { holder: principal, tenantId, projectId };
}
