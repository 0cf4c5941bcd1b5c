// Turns user rows into API objects, which never contain the password hash.
import type { Me, Membership, User } from '@keyrail/protocol/objects/user.ts';
import { wireTime, wireTimeOrNull } from '../../base/wire-time.ts';
import type { MembershipRow } from '../sessions/rows.ts';
import type { UserRow } from './rows.ts';

export const presentPerson = (row: UserRow) => ({
  id: row.id,
  email: row.email,
  email_verified: row.emailVerifiedAt !== null,
  name: row.name,
  created_at: wireTime(row.createdAt),
  last_login_at: wireTimeOrNull(row.lastLoginAt),
});

export const presentUser = (row: UserRow): User => ({ object: 'user', ...presentPerson(row) });

export const presentMembership = (row: MembershipRow): Membership => ({
  workspace_id: row.workspaceId,
  role: row.role,
  name: row.name,
  slug: row.slug,
});

export const presentMe = (
  user: UserRow,
  activeWorkspaceId: string | null,
  memberships: MembershipRow[],
): Me => ({
  object: 'me',
  user: {
    id: user.id,
    email: user.email,
    email_verified: user.emailVerifiedAt !== null,
    name: user.name,
  },
  active_workspace_id: activeWorkspaceId,
  memberships: memberships.map(presentMembership),
});
