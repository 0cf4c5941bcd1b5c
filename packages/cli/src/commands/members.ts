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
          about: "also revoke the member's secret keys that have the owner role",
        },
      ],
      examples: [
        'keyrail members remove ada@example.com',
        'keyrail members remove ada@example.com --revoke-keys',
      ],
      question: (given) => `Remove ${given.text('user')} from the workspace?`,
      notes: `Secret keys the member created keep working. Use --dry-run to count them, and
--revoke-keys to revoke those with the owner role.`,
      ...foreseeable((client) => client.members.delete)(async (client, given) => [
        await userIdOf(client, given.text('user')),
        { query: { revoke_secret_keys: given.flag('revokeKeys') } },
      ]),
      message: (gone) => `Removed ${gone.user_id}.${keysLeft(gone)}`,
    }),
  ],
};

function keysLeft({
  owner_secret_keys: count,
  owner_secret_keys_revoked: areRevoked,
}: Answer<'DELETE /v1/members/{userId}'>): string {
  if (count === 0) return '';
  const keys = count === 1 ? '1 secret key' : `${count} secret keys`;
  if (areRevoked) return ` Revoked ${keys} with the owner role.`;
  return `\nStill active: ${keys} with the owner role that this member created. Revoke any that nobody else needs.`;
}
