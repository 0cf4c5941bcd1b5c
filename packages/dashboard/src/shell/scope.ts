import type { Role } from '@keyrail/protocol/wire/roles.ts';
// Where the page is: the workspace, the environment, and what the user's role allows.
import { createContext, useContext } from 'react';
import type { Env, Place } from '../paths.ts';

export type { Role } from '@keyrail/protocol/wire/roles.ts';

export type Scope = Place & {
  workspaceId: string;
  /** The workspace name. */
  name: string;
  role: Role;
  /** True on pages of both environments; `env` is then the one that was visited last. */
  isNeutral: boolean;
  /** Members can only view; admins and owners can change things. */
  mayChange: boolean;
  isOwner: boolean;
};

export const ScopeContext = createContext<Scope | null>(null);

/** Inside a workspace. */
export function useScope(): Scope {
  const scope = useContext(ScopeContext);
  if (!scope) throw new Error('bug: a screen outside of a workspace asks for its scope');
  return scope;
}

const STORED = 'keyrail.env';

export function rememberEnv(env: Env): void {
  try {
    sessionStorage.setItem(STORED, env);
  } catch {
    // The next neutral page then leads to live.
  }
}

export function rememberedEnv(): Env {
  try {
    return sessionStorage.getItem(STORED) === 'test' ? 'test' : 'live';
  } catch {
    return 'live';
  }
}
