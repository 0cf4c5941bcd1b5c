import { mintCredential } from '@keyrail/protocol/wire/key-format.ts';
import { SESSION_ABSOLUTE_DAYS, SESSION_IDLE_HOURS } from '@keyrail/protocol/wire/limits.ts';
import { hoursAfter } from '../../base/duration.ts';
import { ApiError, forbidden } from '../../base/errors.ts';
import { Secret } from '../../base/secret.ts';
import type { People } from '../../doors/people.ts';
import { lockUser, type UserRow, updateUser } from '../accounts/rows.ts';
import { insertSession, listMemberships, type MembershipRow, type SessionRow } from './rows.ts';

type Login = {
  userId: string;
  verifiedHash: string;
  workspaceId: string | null;
  userAgent: string | null;
};

export type LoggedIn = {
  session: SessionRow;
  secret: Secret;
  user: UserRow;
  memberships: MembershipRow[];
};

const HOURS_PER_DAY = 24;

/** Creates a session for a user whose password has just been verified. */
export async function logIn(
  tx: People,
  { userId, verifiedHash, workspaceId, userAgent }: Login,
): Promise<LoggedIn> {
  const known = await lockUser(tx, userId);
  // The password may have been reset since it was verified.
  if (known.passwordHash !== verifiedHash) throw new ApiError('invalid_credentials');
  const memberships = await listMemberships(tx, userId);
  const active = startingWorkspace(memberships, workspaceId, known.lastWorkspaceId);

  const { secret, displayPrefix, lookupHash } = mintCredential('session', null, tx.randomBytes);
  const session = await insertSession(tx, {
    id: tx.newId(),
    userId,
    lookupHash: Buffer.from(lookupHash, 'hex'),
    displayPrefix,
    activeWorkspaceId: active,
    createdAt: tx.now,
    lastSeenAt: tx.now,
    expiresAt: hoursAfter(tx.now, SESSION_IDLE_HOURS),
    absoluteExpiresAt: hoursAfter(tx.now, SESSION_ABSOLUTE_DAYS * HOURS_PER_DAY),
    userAgent,
  });
  const user = await updateUser(tx, userId, { lastLoginAt: tx.now, lastWorkspaceId: active });
  return { session, secret: new Secret(secret), user, memberships };
}

/**
 * Returns the requested workspace, or else the last active one, or else the one the user joined
 * first.
 */
function startingWorkspace(
  memberships: MembershipRow[],
  wanted: string | null,
  last: string | null,
): string | null {
  const isMember = (id: string | null) => memberships.some((each) => each.workspaceId === id);
  if (wanted !== null && !isMember(wanted)) {
    throw forbidden('You are not a member of this workspace.');
  }
  if (wanted !== null) return wanted;
  return isMember(last) ? last : (memberships[0]?.workspaceId ?? null);
}
