import type { Role } from '@keyrail/protocol/wire/roles.ts';
// The current workspace and environment, and what the user's role allows.
import { createContext, useContext } from 'react';
import type { Env, Place } from '../paths.ts';

export type { Role } from '@keyrail/protocol/wire/roles.ts';

export type Scope = Place & {
  workspaceId: string;
  /** The workspace name. */
  name: string;
  role: Role;
  /**
   * True on pages that belong to neither environment. `env` is then the most recently visited one.
   */
  isNeutral: boolean;
  /** Members can only view; admins and owners can change things. */
  mayChange: boolean;
  isOwner: boolean;
};

export const ScopeContext = createContext<Scope | null>(null);

/** The current scope. Can only be used on screens inside a workspace. */
export function useScope(): Scope {
  const scope = useContext(ScopeContext);
  if (!scope) throw new Error('bug: a screen outside a workspace uses a workspace scope');
  return scope;
}

const STORED = 'keyrail.env';

export function rememberEnv(env: Env): void {
  try {
    sessionStorage.setItem(STORED, env);
  } catch {
    // If the browser blocks storage, links on pages that belong to neither environment open live
    // pages.
  }
}

export function rememberedEnv(): Env {
  try {
    return sessionStorage.getItem(STORED) === 'test' ? 'test' : 'live';
  } catch {
    return 'live';
  }
}
