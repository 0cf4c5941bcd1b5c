// Invitations to join the workspace.
import type { Item } from '@keyrail/client/types.ts';
import { ending, type Group, listing, minting } from '../command.ts';
import { createdFact, type Fact, idFact } from '../facts.ts';
import { idArg, roles } from '../options.ts';
import type { Tone } from '../style.ts';

type Invite = Item<'GET /v1/invites'>;

const facts: readonly Fact<Invite>[] = [
  idFact,
  { title: 'state', of: (invite, { now }) => stateOf(invite, now) },
  { title: 'role', of: (invite) => invite.role },
  { title: 'e-mail', of: (invite) => invite.email, shrink: true },
  { title: 'invited by', of: (invite) => invite.invited_by, only: 'record' },
  { title: 'expires', of: (invite, look) => look.time(invite.expires_at), drop: 1 },
  createdFact,
];

function stateOf(invite: Invite, now: Date): { text: string; tone: Tone } {
  if (invite.accepted_at) return { text: 'accepted', tone: 'green' };
  if (invite.revoked_at) return { text: 'revoked', tone: 'red' };
  const isOver = Date.parse(invite.expires_at) <= now.getTime();
  return isOver ? { text: 'expired', tone: 'dim' } : { text: 'pending', tone: 'yellow' };
}

export const invites: Group = {
  name: 'invites',
  summary: 'invitations to join the workspace',
  commands: [
    listing({
      summary: 'list invitations',
      examples: ['keyrail invites list'],
      pageMax: 1000,
      walk: (client, _, page) => client.pages('GET /v1/invites', page),
      facts,
      empty: 'No invitations.',
    }),
    minting({
      name: 'create',
      summary: 'invite a person',
      options: [
        { flags: '--email <address>', about: 'whom to invite', required: true },
        { flags: '--role <role>', about: 'as what', choices: roles, required: true },
      ],
      examples: ['keyrail invites create --email ada@example.com --role admin'],
      notes: 'A mail with a link of its own goes to the address.',
      ask: (client, given) =>
        client.call('POST /v1/invites', {
          body: { email: given.text('email'), role: given.oneOf('role', roles) },
        }),
      facts,
      secret: ({ token }) => token,
      what: 'token',
    }),
    ending({
      name: 'revoke',
      summary: 'withdraw an invitation',
      args: [idArg],
      examples: ['keyrail invites revoke 01890c5e-…'],
      question: (given) => `Withdraw the invitation ${given.id('id')}?`,
      ask: (client, given) =>
        client.call('POST /v1/invites/{id}/revoke', { params: { id: given.id('id') } }),
      says: (invite) => `Withdrew the invitation of ${invite.email}.`,
    }),
  ],
};
