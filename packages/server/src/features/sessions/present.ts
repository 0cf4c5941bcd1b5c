// Turns rows into session objects. No other file in this feature puts a token in a response.
import type { Session, SessionSummary } from '@keyrail/protocol/objects/session.ts';
import { wireTime } from '../../base/wire-time.ts';
import { presentMembership, presentPerson } from '../accounts/present.ts';
import type { LoggedIn } from './log-in.ts';
import type { SessionRow } from './rows.ts';

const lifetime = (row: SessionRow) => ({
  object: 'session' as const,
  id: row.id,
  display_prefix: row.displayPrefix,
  active_workspace_id: row.activeWorkspaceId,
  created_at: wireTime(row.createdAt),
  last_seen_at: wireTime(row.lastSeenAt),
  expires_at: wireTime(row.expiresAt),
  absolute_expires_at: wireTime(row.absoluteExpiresAt),
});

export const presentLogin = ({ session, secret, user, memberships }: LoggedIn): Session => ({
  ...lifetime(session),
  token: secret.reveal(),
  user: presentPerson(user),
  memberships: memberships.map(presentMembership),
});

export const presentSession = (row: SessionRow, currentId: string): SessionSummary => ({
  ...lifetime(row),
  current: row.id === currentId,
  user_agent: row.userAgent,
});
