// Members and invitations. Only an owner with a live credential can change them.
import { z } from 'zod';
import { endpoints } from '../endpoint.ts';
import {
  CreatedInvite,
  RemovedMember,
  WorkspaceInvite,
  WorkspaceMember,
} from '../objects/member.ts';
import { list } from '../objects/wire.ts';
import { byId, Ids, paging } from '../query.ts';
import { Email, Role } from '../validators.ts';
import { IDS_MAX, LIST_LIMIT_DEFAULT, LIST_LIMIT_MAX } from '../wire/limits.ts';

export const memberEndpoints = endpoints({
  'GET /v1/members': {
    auth: 'vendor',
    permission: 'members:read',
    allProjects: true,
    summary: 'List members',
    description: "The workspace's members with their roles, in the order they joined.",
    query: z.strictObject({
      id: Ids.optional().meta({
        description: `Only these users, up to ${IDS_MAX}, including former members. Unknown IDs are left out.`,
      }),
      ...paging(LIST_LIMIT_MAX, LIST_LIMIT_DEFAULT),
    }),
    list: true,
    answers: { 200: list(WorkspaceMember) },
  },
  'PATCH /v1/members/{userId}': {
    auth: 'vendor',
    permission: 'members:write',
    allProjects: true,
    role: 'owner',
    summary: "Change a member's role",
    description:
      "Takes effect on the member's next request. A lower role revokes the open invitations " +
      "the member created, including those created with the member's secret keys.",
    body: z.strictObject({ role: Role }),
    refusals: { 409: 'The workspace would have no owner.' },
    answers: { 200: WorkspaceMember },
  },
  'DELETE /v1/members/{userId}': {
    auth: 'vendor',
    permission: 'members:write',
    allProjects: true,
    role: 'owner',
    summary: 'Remove a member',
    description:
      'Access ends immediately. Open invitations the member created are revoked, including those ' +
      "created with the member's secret keys. The secret keys the member created keep working, " +
      'unless `secret_keys=revoke` revokes them too. Keys created with those keys are not revoked.',
    query: z.strictObject({ secret_keys: z.enum(['keep', 'revoke']).default('keep') }),
    dryRun: true,
    refusals: { 409: 'The workspace would have no owner.' },
    answers: { 200: RemovedMember },
  },
  'POST /v1/invites': {
    auth: 'vendor',
    permission: 'members:write',
    allProjects: true,
    role: 'owner',
    summary: 'Invite someone to the workspace',
    description:
      'Emails a link to join the workspace. The link contains a different token from the one ' +
      'returned here.',
    body: z.strictObject({ email: Email, role: Role }),
    refusals: { 429: 'The workspace has sent the maximum number of invitations for this hour.' },
    answers: { 201: CreatedInvite },
  },
  'GET /v1/invites': {
    auth: 'vendor',
    permission: 'members:read',
    allProjects: true,
    summary: 'List invitations',
    description:
      'Shows all invitations, newest first, including accepted, revoked and expired ones. Tokens ' +
      'are not shown.',
    query: z.strictObject({ ...byId, ...paging(LIST_LIMIT_MAX, LIST_LIMIT_DEFAULT) }),
    list: true,
    answers: { 200: list(WorkspaceInvite) },
  },
  'POST /v1/invites/{id}/revoke': {
    auth: 'vendor',
    permission: 'members:write',
    allProjects: true,
    role: 'owner',
    summary: 'Revoke an invitation',
    description:
      'Both of its tokens stop working. Use this if an invitation went to the wrong address or ' +
      'is no longer wanted.',
    body: z.strictObject({}),
    bodyOptional: true,
    refusals: { 409: 'The invitation has been accepted.' },
    answers: { 200: WorkspaceInvite },
  },
});
