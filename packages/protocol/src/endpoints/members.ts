// Members and invitations. Changing them requires an owner with a live credential.
import { z } from 'zod';
import { endpoints } from '../endpoint.ts';
import {
  CreatedInvite,
  RemovedMember,
  WorkspaceInvite,
  WorkspaceMember,
} from '../objects/member.ts';
import { list } from '../objects/wire.ts';
import { paging } from '../query.ts';
import { Email, Role } from '../validators.ts';
import { LIST_LIMIT_DEFAULT, LIST_LIMIT_MAX } from '../wire/limits.ts';

export const memberEndpoints = endpoints({
  'GET /v1/members': {
    auth: 'vendor',
    summary: 'List members',
    query: z.strictObject(paging(LIST_LIMIT_MAX, LIST_LIMIT_DEFAULT)),
    list: true,
    answers: { 200: list(WorkspaceMember) },
  },
  'PATCH /v1/members/{userId}': {
    auth: 'vendor',
    role: 'owner',
    summary: 'Change the role of a member',
    description: 'Lowering the role revokes the open invitations that the member created.',
    body: z.strictObject({ role: Role }),
    answers: { 200: WorkspaceMember },
  },
  'DELETE /v1/members/{userId}': {
    auth: 'vendor',
    role: 'owner',
    summary: 'Remove a member',
    description:
      'Access ends immediately. The open invitations that the member created are revoked.',
    answers: { 200: RemovedMember },
  },
  'POST /v1/invites': {
    auth: 'vendor',
    role: 'owner',
    summary: 'Invite a person',
    description: 'The link in the e-mail holds another token than the one returned here.',
    body: z.strictObject({ email: Email, role: Role }),
    budgeted: true,
    answers: { 201: CreatedInvite },
  },
  'GET /v1/invites': {
    auth: 'vendor',
    summary: 'List invitations',
    query: z.strictObject(paging(LIST_LIMIT_MAX, LIST_LIMIT_DEFAULT)),
    list: true,
    answers: { 200: list(WorkspaceInvite) },
  },
  'POST /v1/invites/{id}/revoke': {
    auth: 'vendor',
    role: 'owner',
    summary: 'Revoke an invitation',
    body: z.strictObject({}),
    bodyOptional: true,
    answers: { 200: WorkspaceInvite },
  },
});
