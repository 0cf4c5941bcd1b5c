// People in the workspace.
import type { Item } from '@keyrail/client/types.ts';
import { changing, ending, type Group, listing } from '../command.ts';
import { createdFact, type Fact, nameFact, updatedFact } from '../facts.ts';
import { userIdOf } from '../names.ts';
import { roles } from '../options.ts';

const facts: readonly Fact<Item<'GET /v1/members'>>[] = [
  { title: 'user', of: (member) => member.user_id },
  { title: 'role', of: (member) => member.role },
  { title: 'e-mail', of: (member) => member.email, shrink: true },
  { title: 'verified', of: (member) => member.email_verified, only: 'record' },
  { ...nameFact, drop: 1 },
  createdFact,
  updatedFact,
];

const userArg = { name: 'user', about: 'member, by user id or e-mail address' } as const;

export const members: Group = {
  name: 'members',
  summary: 'people in the workspace',
  commands: [
    listing({
      summary: 'list members',
      examples: ['keyrail members list'],
      pageMax: 1000,
      walk: (client, _, page) => client.pages('GET /v1/members', page),
      facts,
      empty: 'No members.',
    }),
    changing({
      name: 'set-role',
      summary: 'change the role of a member',
      args: [userArg, { name: 'role', about: 'new role', choices: roles }],
      examples: ['keyrail members set-role ada@example.com admin'],
      ask: async (client, given) => {
        const userId = await userIdOf(client, given.text('user'));
        const role = given.oneOf('role', roles);
        return client.call('PATCH /v1/members/{userId}', { params: { userId }, body: { role } });
      },
      facts,
    }),
    ending({
      name: 'remove',
      summary: 'remove a member; access ends at once',
      args: [userArg],
      examples: ['keyrail members remove ada@example.com'],
      question: (given) => `Remove ${given.text('user')} from the workspace?`,
      ask: async (client, given) => {
        const userId = await userIdOf(client, given.text('user'));
        return client.call('DELETE /v1/members/{userId}', { params: { userId } });
      },
      says: (gone) => `Removed ${gone.user_id}.`,
    }),
  ],
};
