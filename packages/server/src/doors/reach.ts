// A request's reach: the rows it may access, and its actor. Authentication creates the reach, and
// every door requires one.

import { type Env, envs } from '@keyrail/protocol/wire/env.ts';
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
  /** Environments whose rows this request can see. */
  envs: readonly Env[];
  /** Set on the embed plane, to hide the rows of other tenants and projects. */
  tenantId?: string;
  projectId?: string;
  /** Set on the embed plane: the scopes that a new key may have. */
  keyScopes?: readonly string[];
  /** Set on the embed plane: the maximum number of unrevoked keys within this reach. */
  keysMax?: number;
  actor: Actor;
  /** The user's role, or the role the secret key was created with. */
  authority: Role;
};

/** The reach in the form that the database needs for row-level security. */
export const scopeOf = ({ workspaceId, envs, tenantId, projectId, actor }: Reach): Scope => ({
  workspaceId,
  envs,
  ...(tenantId !== undefined && { tenantId }),
  ...(projectId !== undefined && { projectId }),
  ...(actor.type === 'user' && actor.id !== null && { userId: actor.id }),
});
