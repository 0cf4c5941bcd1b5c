// Where the page is: the workspace, the environment, and what the role of the person allows.
import type { Role } from '@keyrail/protocol/wire/roles.ts';
import { createContext, useContext } from 'react';
import type { Env, Place } from '../paths.ts';

export type { Role } from '@keyrail/protocol/wire/roles.ts';

export type Scope = Place & {
  workspaceId: string;
  /** The name of the workspace. */
  name: string;
  role: Role;
  /** True on pages of both environments; `env` is then the one that was visited last. */
  isNeutral: boolean;
  /** A member looks, an admin or an owner changes. */
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
