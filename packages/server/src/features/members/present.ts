// Turns rows into workspace_member and workspace_invite objects. No other file in this feature puts
// an invitation token in a response.
import type {
  CreatedInvite,
  InvitePreview,
  WorkspaceInvite,
  WorkspaceMember,
} from '@keyrail/protocol/objects/member.ts';
import { wireTime, wireTimeOrNull } from '../../base/wire-time.ts';
import type { Joined } from './accept-invite.ts';
import type { Invited } from './invite-person.ts';
import type { ReadInvite } from './read-invite.ts';
import type { Removed } from './remove-member.ts';
import type { InviteRow, MemberRow } from './rows.ts';

export const presentMember = (row: MemberRow): WorkspaceMember => ({
  object: 'workspace_member',
  user_id: row.userId,
  email: row.email,
  email_verified: row.emailVerifiedAt !== null,
  name: row.name,
  role: row.role,
  created_at: wireTime(row.createdAt),
  updated_at: wireTime(row.updatedAt),
  ...(row.removedAt && { removed_at: wireTime(row.removedAt) }),
});

export const presentInvite = (row: InviteRow): WorkspaceInvite => ({
  object: 'workspace_invite',
  id: row.id,
  email: row.email,
  role: row.role,
  invited_by: row.invitedBy,
  created_at: wireTime(row.createdAt),
  expires_at: wireTime(row.expiresAt),
  accepted_at: wireTimeOrNull(row.acceptedAt),
  revoked_at: wireTimeOrNull(row.revokedAt),
});

export const presentInvited = ({ invite, token }: Invited): CreatedInvite => ({
  ...presentInvite(invite),
  ...(token.isWithheld
    ? { token_shown_once: false }
    : { token: token.reveal(), token_shown_once: true }),
});

/**
 * For invited people, who may not have an account. The only personal data is the invited address.
 */
export const presentPreview = ({ invite, workspaceName }: ReadInvite): InvitePreview => ({
  ...presentInvite(invite),
  invited_by: null,
  workspace_name: workspaceName,
});

export const presentRemoved = ({ userId, revokedKeys, ownerKeys }: Removed) => ({
  object: 'workspace_member' as const,
  user_id: userId,
  removed: true as const,
  revoked_secret_keys: revokedKeys,
  owner_secret_keys: ownerKeys,
});

export const presentJoined = ({ workspaceId, userId, role, active }: Joined) => ({
  object: 'workspace_member' as const,
  workspace_id: workspaceId,
  user_id: userId,
  role,
  active,
});
