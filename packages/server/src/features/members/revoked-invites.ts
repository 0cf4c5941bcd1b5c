// The audit entry for a revoked invitation.
import type { Entry } from '../../doors/actions.ts';
import type { InviteRow } from './rows.ts';

export const entryOfRevoked = ({ id, role }: Pick<InviteRow, 'id' | 'role'>): Entry => ({
  action: 'workspace_invite.revoked',
  target: id,
  payload: { role },
});
