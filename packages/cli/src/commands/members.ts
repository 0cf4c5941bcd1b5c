// The members of the workspace.
import type { Answer, Item } from '@keyrail/client';
import { roles } from '@keyrail/protocol/wire/roles.ts';
import {
  changeCommand,
  confirmedCommand,
  foreseeable,
  type Group,
  listCommand,
} from '../command.ts';
import { userIdOf } from '../input/resolve-ids.ts';
import { createdField, type Field, nameField, updatedField } from '../output/fields.ts';

const fields: readonly Field<Item<'GET /v1/members'>>[] = [
  { title: 'user', of: (member) => member.user_id },
  { title: 'role', of: (member) => member.role },
  { title: 'email', of: (member) => member.email, shrink: true },
  { title: 'verified', of: (member) => member.email_verified, only: 'record' },
  { ...nameField, drop: 1 },
  createdField,
  updatedField,
];

const userArg = { name: 'user', about: 'member, by user ID or email address' } as const;

export const members: Group = {
  name: 'members',
  summary: 'members of the workspace',
  commands: [
    listCommand({
      summary: 'list members',
      examples: ['keyrail members list'],
      pageMax: 1000,
      pages: (client, _, page) => client.pages('GET /v1/members', page),
      fields,
      empty: 'No members.',
    }),
    changeCommand({
      name: 'set-role',
      summary: "change a member's role",
      args: [userArg, { name: 'role', about: 'new role', choices: roles }],
      examples: ['keyrail members set-role ada@example.com admin'],
      request: async (client, given) => {
        const userId = await userIdOf(client, given.text('user'));
        const role = given.oneOf('role', roles);
        return client.call('PATCH /v1/members/{userId}', { params: { userId }, body: { role } });
      },
      fields,
    }),
    confirmedCommand({
      name: 'remove',
      summary: 'remove a member; access ends immediately',
      args: [userArg],
      options: [
        {
          flags: '--revoke-keys',
          about: 'also revoke the secret keys the member created',
        },
      ],
      examples: [
        'keyrail members remove ada@example.com',
        'keyrail members remove ada@example.com --revoke-keys',
      ],
      question: (given) => `Remove ${given.text('user')} from the workspace?`,
      notes: `Secret keys the member created keep working. Use --dry-run to count them, and
--revoke-keys to revoke them.`,
      ...foreseeable((client) => client.members.delete)(async (client, given) => [
        await userIdOf(client, given.text('user')),
        { query: { secret_keys: given.flag('revokeKeys') ? 'revoke' : 'keep' } },
      ]),
      message: (gone) => `Removed ${gone.user_id}.${keysLeft(gone)}`,
    }),
  ],
};

function keysLeft({
  revoked_secret_keys: revoked,
  owner_secret_keys: left,
}: Answer<'DELETE /v1/members/{userId}'>): string {
  const ended = revoked === 0 ? '' : ` Revoked ${countOf(revoked)}.`;
  if (left === 0) return ended;
  return `${ended}\nStill active: ${countOf(left)} with the owner role that trace back to this member. Revoke any that nobody else needs.`;
}

const countOf = (keys: number): string => (keys === 1 ? '1 secret key' : `${keys} secret keys`);
