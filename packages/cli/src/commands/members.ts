// People in the workspace.

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
  { title: 'e-mail', of: (member) => member.email, shrink: true },
  { title: 'verified', of: (member) => member.email_verified, only: 'record' },
  { ...nameField, drop: 1 },
  createdField,
  updatedField,
];

const userArg = { name: 'user', about: 'member, by user id or e-mail address' } as const;

export const members: Group = {
  name: 'members',
  summary: 'people in the workspace',
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
      summary: 'change the role of a member',
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
      summary: 'remove a member; access ends at once',
      args: [userArg],
      options: [
        {
          flags: '--revoke-keys',
          about: 'also revoke the secret keys of the member that may do what an owner may',
        },
      ],
      examples: [
        'keyrail members remove ada@example.com',
        'keyrail members remove ada@example.com --revoke-keys',
      ],
      question: (given) => `Remove ${given.text('user')} from the workspace?`,
      notes:
        'Secret keys that the member created keep working. --dry-run counts them, and --revoke-keys ' +
        'revokes those with the authority of an owner.',
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
  if (areRevoked) return ` Revoked ${keys} with the authority of an owner.`;
  return `\n${keys} of this member with the authority of an owner: still active. Revoke what nobody else needs.`;
}
