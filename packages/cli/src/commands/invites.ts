// Invitations to join the workspace.

import type { Item } from '@keyrail/client';
import { type InviteState, inviteStateOf } from '@keyrail/protocol/wire/invite-state.ts';
import { roles } from '@keyrail/protocol/wire/roles.ts';
import { confirmedCommand, type Group, listCommand, secretCommand } from '../command.ts';
import { idArg } from '../input/options.ts';
import { createdField, type Field, idField } from '../output/fields.ts';
import type { Tone } from '../terminal/style.ts';

type Invite = Item<'GET /v1/invites'>;

const toneOf: Readonly<Record<InviteState, Tone>> = {
  accepted: 'green',
  revoked: 'red',
  expired: 'dim',
  pending: 'yellow',
};

const fields: readonly Field<Invite>[] = [
  idField,
  { title: 'state', of: (invite, { now }) => stateOf(invite, now) },
  { title: 'role', of: (invite) => invite.role },
  { title: 'email', of: (invite) => invite.email, shrink: true },
  { title: 'invited by', of: (invite) => invite.invited_by, only: 'record' },
  { title: 'expires', of: (invite, format) => format.time(invite.expires_at), drop: 1 },
  createdField,
];

function stateOf(invite: Invite, now: Date): { text: string; tone: Tone } {
  const state = inviteStateOf(invite, now.getTime());
  return { text: state, tone: toneOf[state] };
}

export const invites: Group = {
  name: 'invites',
  summary: 'invitations to join the workspace',
  commands: [
    listCommand({
      summary: 'list invitations',
      examples: ['keyrail invites list'],
      pageMax: 1000,
      pages: (client, _, page) => client.pages('GET /v1/invites', page),
      fields,
      empty: 'No invitations.',
    }),
    secretCommand({
      name: 'create',
      summary: 'invite someone to the workspace',
      options: [
        { flags: '--email <address>', about: 'email address to invite', required: true },
        { flags: '--role <role>', about: 'role of the new member', choices: roles, required: true },
      ],
      examples: ['keyrail invites create --email ada@example.com --role admin'],
      notes: 'The invitee also gets an email with a separate link.',
      request: (client, given) =>
        client.call('POST /v1/invites', {
          body: { email: given.text('email'), role: given.oneOf('role', roles) },
        }),
      fields,
      secret: ({ token }) => token,
      what: 'token',
      replace: ({ id }) =>
        `Revoke it with: keyrail invites revoke ${id}, then send a new invitation.`,
    }),
    confirmedCommand({
      name: 'revoke',
      summary: 'revoke an invitation',
      args: [idArg],
      examples: ['keyrail invites revoke 01890c5e-…'],
      question: (given) => `Revoke the invitation ${given.id('id')}?`,
      request: (client, given) =>
        client.call('POST /v1/invites/{id}/revoke', { params: { id: given.id('id') } }),
      message: (invite) => `Revoked the invitation for ${invite.email}.`,
    }),
  ],
};
