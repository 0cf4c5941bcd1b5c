// The `Keyrail-Workspace` header: the workspace a caller expects to work in. A session's active
// workspace can change between two requests, so a browser tab sends the workspace it is showing.

import { Uuid } from '@keyrail/protocol/validators.ts';
import type { Auth } from '@keyrail/protocol/wire/auth.ts';
import { WORKSPACE_HEADER } from '@keyrail/protocol/wire/workspace-header.ts';
import { ApiError } from '../base/errors.ts';
import { type Principal, reachOf } from './principal.ts';

/** Endpoints that act in the workspace of the caller's credential. */
const applies: ReadonlySet<Auth> = new Set<Auth>(['vendor', 'machine', 'machineHot', 'minting']);

export function refuseOtherWorkspace(
  principal: Principal,
  auth: Auth,
  named: string | undefined,
): void {
  if (named === undefined || !applies.has(auth)) return;
  const workspaceId = Uuid.safeParse(named);
  if (!workspaceId.success) {
    throw new ApiError('invalid_request', `The header ${WORKSPACE_HEADER} must be a UUID.`);
  }
  if (reachOf(principal)?.workspaceId !== workspaceId.data) {
    throw new ApiError('other_workspace');
  }
}
