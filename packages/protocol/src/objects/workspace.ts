// The vendor's account.
import { z } from 'zod';
import { EmbedOrigins, Role, Uuid } from '../validators.ts';
import { FirstSecretKey } from './secret-key.ts';
import { WireTime } from './wire.ts';

export const Workspace = z
  .strictObject({
    object: z.literal('workspace'),
    id: Uuid,
    name: z.string(),
    slug: z.string(),
    billing_email: z.string().nullable(),
    embed_origins: EmbedOrigins,
    created_at: WireTime,
    updated_at: WireTime,
  })
  .meta({ id: 'Workspace' });
export type Workspace = z.output<typeof Workspace>;

/** `membership` is null if the workspace was created with the bootstrap token. */
export const FoundedWorkspace = z
  .strictObject({
    workspace: Workspace,
    secret_key: FirstSecretKey,
    membership: z.strictObject({ user_id: Uuid, role: Role }).nullable(),
  })
  .meta({ id: 'FoundedWorkspace' });
export type FoundedWorkspace = z.output<typeof FoundedWorkspace>;
