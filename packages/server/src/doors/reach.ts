// A request's reach: the rows it may access, and its actor. Authentication creates the reach, and
// every door requires one.

import { type Env, envs } from '@keyrail/protocol/wire/env.ts';
import type { Permission } from '@keyrail/protocol/wire/permissions.ts';
import type { Role } from '@keyrail/protocol/wire/roles.ts';
import type { Scope } from '../db/database.ts';

export type { Env } from '@keyrail/protocol/wire/env.ts';

export const allEnvs: readonly Env[] = envs;

export type { Role } from '@keyrail/protocol/wire/roles.ts';

type ActorType = 'user' | 'secret_key' | 'bootstrap' | 'embed' | 'scanner' | 'system';

/** The actor as recorded in the audit log. */
export type Actor = { type: ActorType; id: string | null };

export type Reach = {
  workspaceId: string;
  /** The environments whose rows this request can see. */
  envs: readonly Env[];
  /** Set for embed tokens, to hide the rows of other tenants and projects. */
  tenantId?: string;
  /** Set for embed tokens and limited secret keys, to hide the rows of other projects. */
  projectIds?: readonly string[];
  /** Set for limited secret keys. */
  permissions?: readonly Permission[];
  networks?: readonly string[];
  /** Set for embed tokens: the scopes that a new key may have. */
  keyScopes?: readonly string[];
  /** Set for embed tokens: how many unrevoked keys there may be within this reach. */
  keysMax?: number;
  actor: Actor;
  /** The user's role, or the role the secret key was created with. */
  authority: Role;
};

/**
 * A string that identifies the rows a reach can access. Reaches with the same string see the same
 * rows.
 */
export const reachName = ({ workspaceId, envs, tenantId, projectIds }: Reach): string =>
  [workspaceId, envs, tenantId, projectIds].join(' ');

/** The reach in the form that the database needs for row-level security. */
export const scopeOf = ({ workspaceId, envs, tenantId, projectIds, actor }: Reach): Scope => ({
  workspaceId,
  envs,
  ...(tenantId !== undefined && { tenantId }),
  ...(projectIds !== undefined && { projectIds }),
  ...(actor.type === 'user' && actor.id !== null && { userId: actor.id }),
});
