// The members and invitations that this screen loads.
import type { Item } from '@keyrail/client';

export type Member = Item<'GET /v1/members'>;
export type Invite = Item<'GET /v1/invites'>;

/** Paths to reload after a change to a member or an invitation. */
export const STALE = [
  '/v1/members',
  '/v1/invites',
  '/v1/secret_keys',
  '/v1/audit_logs',
  '/v1/auth/me',
  '/v1/workspace/summary',
];

export const nameOf = ({ name, email }: Pick<Member, 'name' | 'email'>): string => name ?? email;

export const isLastOwner = ({ role }: Member, members: readonly Member[]): boolean =>
  role === 'owner' && members.filter((one) => one.role === 'owner').length === 1;
