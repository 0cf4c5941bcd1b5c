// Members of a workspace, and invitations to join it.
import { z } from 'zod';
import { Role, Uuid } from '../validators.ts';
import { Count, SecretText, ShownOnce, WireTime } from './wire.ts';

export const WorkspaceMember = z
  .strictObject({
    object: z.literal('workspace_member'),
    user_id: Uuid,
    email: z.string(),
    email_verified: z.boolean(),
    name: z.string().nullable(),
    role: Role,
    created_at: WireTime,
    updated_at: WireTime,
    removed_at: WireTime.optional().meta({
      description: 'Only for former members, who are only listed by `id`.',
    }),
  })
  .meta({ id: 'WorkspaceMember' });
export type WorkspaceMember = z.output<typeof WorkspaceMember>;

export const RemovedMember = z.strictObject({
  object: z.literal('workspace_member'),
  user_id: Uuid,
  removed: z.literal(true),
  revoked_secret_keys: Count.meta({
    description: 'How many secret keys this call revoked.',
  }),
  owner_secret_keys: Count.meta({
    description:
      'How many secret keys with the owner role still work and trace back to the member: created ' +
      'by the member or by such a key, or created by rotating one.',
  }),
});

/** `active` is true if the caller's session has switched to the workspace just joined. */
export const JoinedMember = z
  .strictObject({
    object: z.literal('workspace_member'),
    workspace_id: Uuid,
    user_id: Uuid,
    role: Role,
    active: z.boolean(),
  })
  .meta({ id: 'JoinedMember' });
export type JoinedMember = z.output<typeof JoinedMember>;

export const WorkspaceInvite = z
  .strictObject({
    object: z.literal('workspace_invite'),
    id: Uuid,
    email: z.string(),
    role: Role,
    // Null if the invitation was created with a secret key.
    invited_by: Uuid.nullable(),
    created_at: WireTime,
    expires_at: WireTime,
    accepted_at: WireTime.nullable(),
    revoked_at: WireTime.nullable(),
  })
  .meta({ id: 'WorkspaceInvite' });
export type WorkspaceInvite = z.output<typeof WorkspaceInvite>;

/** What anyone with the invitation token may see, even without an account. */
export const InvitePreview = WorkspaceInvite.extend({
  invited_by: z.null(),
  workspace_name: z.string(),
}).meta({ id: 'InvitePreview' });
export type InvitePreview = z.output<typeof InvitePreview>;

export const CreatedInvite = WorkspaceInvite.extend({
  token: SecretText,
  token_shown_once: ShownOnce,
}).meta({ id: 'CreatedInvite' });
export type CreatedInvite = z.output<typeof CreatedInvite>;
