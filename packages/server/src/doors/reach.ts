// What one request may touch, and in whose name. Built once, by access; every door needs one.
import type { Scope } from '../db/database.ts';

export type Env = 'live' | 'test';
export type Role = 'owner' | 'admin' | 'member';

export const allEnvs: readonly Env[] = ['live', 'test'];

export type ActorType = 'user' | 'secret_key' | 'bootstrap' | 'embed' | 'scanner' | 'system';

/** Who acts, as the audit log names it. */
export type Actor = { type: ActorType; id: string | null };

export type Reach = {
  workspaceId: string;
  /** Environments whose rows exist for this request. */
  envs: readonly Env[];
  /** Set on the embed plane: rows of other tenants and projects do not exist. */
  tenantId?: string;
  projectId?: string;
  /** Set on the embed plane: the only scopes that a key may be made with. */
  keyScopes?: readonly string[];
  /** Set on the embed plane: how many unrevoked keys there may be within this reach. */
  keysMax?: number;
  actor: Actor;
  /** With whose power: a person's role, or that of whoever minted the key. */
  authority: Role;
};

/** The reach as the database's walls know it. */
export const scopeOf = ({ workspaceId, envs, tenantId, projectId, actor }: Reach): Scope => ({
  workspaceId,
  envs,
  ...(tenantId !== undefined && { tenantId }),
  ...(projectId !== undefined && { projectId }),
  ...(actor.type === 'user' && actor.id !== null && { userId: actor.id }),
});
