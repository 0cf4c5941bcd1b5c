import { cappedCount } from '@keyrail/protocol/wire/capped-count.ts';
import type { Role } from '../../shell/scope.ts';
import { capitalised } from '../../texts/capitalised.ts';
import { count as countText } from '../../ui/content/spans.ts';

const keys = (count: number, capped: boolean): string =>
  count === 1 && !capped ? '1 secret key' : `${cappedCount(count, { capped })} secret keys`;

export const texts = {
  title: 'Members',
  lead: 'The people in this workspace. Roles apply to both live and test.',
  people: 'People',
  invitations: 'Invitations',
  failed: 'Couldn’t load members.',
  failedInvites: 'Couldn’t load invitations.',
  invite: 'Invite member',
  ownersOnly: 'Only owners can manage members.',
  columns: {
    person: 'Member',
    role: 'Role',
    state: 'State',
    joined: 'Joined',
    address: 'Email',
    by: 'Invited by',
    sent: 'Sent',
  },
  you: 'you',
  verified: 'Verified',
  unverified: 'Email not verified',
  menu: (name: string) => `Actions for ${name}`,
  menus: 'Actions',
  changeRole: 'Change role',
  remove: 'Remove',
  leave: 'Leave workspace',
  revoke: 'Revoke invitation',
  pastToo: 'Show past invitations',
  noInvites: 'No pending invitations.',
  bySecretKey: 'A secret key',
  former: 'A former member',
  inviteStates: {
    pending: (left: string) => `Pending, expires in ${left}`,
    accepted: 'Accepted',
    revoked: 'Revoked',
    expired: 'Expired',
  },
  roles: {
    owner: 'Can change everything, including members.',
    admin: 'Can manage keys, tenants and projects, but not members.',
    member: 'Can view everything, but not change it.',
  } satisfies Record<Role, string>,
  inviting: {
    address: 'Email address',
    role: 'Role',
    action: 'Send invitation',
    title: (email: string) => `Invitation sent to ${email}`,
    copy: 'Copy link',
    note: 'The invitation has also been emailed, with a separate link. Either link works, but the invitation can only be accepted once.',
    leave:
      'You haven’t copied the link, and it can’t be shown again. The email contains a separate link.',
    lost: 'The invitation has been emailed, but its link can’t be shown here again.',
  },
  roleChange: {
    title: (name: string) => `Change role for ${name}`,
    role: 'Role',
    lower: 'Any pending invitations they’ve sent will be revoked.',
    ownRole: 'This is your own role. You may not be able to change it back.',
    action: (role: string) => `Make ${role}`,
    same: 'Choose another role.',
    done: (name: string, role: string) => `${name}’s role is now ${role}.`,
  },
  lastOwner: {
    title: (name: string) => `${name} is the only owner`,
    text: 'A workspace needs at least one owner to manage its members. Make another member an owner first.',
    action: 'Got it',
  },
  removing: {
    title: (name: string) => `Remove ${name}?`,
    leaveTitle: 'Leave this workspace?',
    action: (name: string) => `Remove ${name}`,
    leaveAction: 'Leave workspace',
    text: 'Access ends immediately, and any pending invitations this person sent are revoked.',
    done: (name: string, revoked: number) =>
      revoked === 0
        ? `${name} is no longer a member.`
        : `${name} is no longer a member. ${keys(revoked, false)} revoked.`,
    failed: 'Couldn’t check what this would affect.',
    failedKeys: 'Couldn’t load secret keys.',
    none: 'None of the secret keys this person created are still active.',
    created: (count: number, capped: boolean) =>
      capitalised(`${keys(count, capped)} created by this person:`),
    more: (count: number, capped: boolean) => `and ${cappedCount(count, { capped })} more`,
    searched: (searched: number) =>
      `Only the newest ${countText(searched)} secret keys in this workspace were searched.`,
    used: 'Last used',
    unused: 'Never used',
    withKeys: 'API keys created with these secret keys keep working either way:',
    noneWithKeys: 'API keys created with these secret keys aren’t revoked.',
    fate: 'What should happen to these keys?',
    fates: {
      keep: { label: 'Keep them', hint: 'They keep working until someone revokes them.' },
      revoke: {
        label: 'Revoke them',
        hint: 'Anything using them loses access immediately. This can’t be undone.',
      },
    },
    unnamed: 'Unnamed secret key',
  },
  revoking: {
    title: (email: string) => `Revoke the invitation for ${email}?`,
    text: 'Both the emailed link and the copied link stop working.',
    action: 'Revoke invitation',
    done: (email: string) => `Invitation for ${email} revoked.`,
  },
};
