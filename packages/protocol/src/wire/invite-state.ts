// Determines an invitation's state. The server has the same rule in SQL (`isPending`).
type Invite = { accepted_at: string | null; revoked_at: string | null; expires_at: string };

export type InviteState = 'accepted' | 'revoked' | 'expired' | 'pending';

export function inviteStateOf(invite: Invite, nowMs: number): InviteState {
  if (invite.accepted_at !== null) return 'accepted';
  if (invite.revoked_at !== null) return 'revoked';
  return Date.parse(invite.expires_at) > nowMs ? 'pending' : 'expired';
}
