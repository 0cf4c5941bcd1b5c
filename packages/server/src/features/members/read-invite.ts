import { ApiError } from '../../base/errors.ts';
import { type Change, unchanged, type Write } from '../../doors/door.ts';
import { hashOfToken } from '../accounts/one-time-token.ts';
import { loadWorkspace } from '../workspaces/rows.ts';
import { findOpenInvite, type InviteRow } from './rows.ts';

export type ReadInvite = { invite: InviteRow; workspaceName: string };

/**
 * Shows an open invitation to the holder of its token. Nothing is written, so the token stays
 * valid.
 */
export async function readInvite(tx: Write, token: string): Promise<Change<ReadInvite>> {
  const invite = await findOpenInvite(tx, hashOfToken(token));
  if (!invite) throw new ApiError('invalid_token');
  const { name } = await loadWorkspace(tx);
  return unchanged({ invite, workspaceName: name });
}
