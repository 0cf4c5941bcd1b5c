// Short-lived tokens that let a tenant's users manage keys from a browser.
import { z } from 'zod';
import { Env, Uuid } from '../validators.ts';
import { Count, WireTime } from './wire.ts';

export const EmbedToken = z
  .strictObject({
    object: z.literal('embed_token'),
    token: z.string(),
    jti: z.string(),
    kid: z.string(),
    project_id: Uuid,
    env: Env,
    tenant_id: Uuid,
    tenant_external_id: z.string(),
    scopes: z.array(z.string()),
    audience: z.array(z.string()),
    epoch: z.int().min(1),
    issued_at: WireTime,
    expires_at: WireTime,
    expires_in: Count,
    refresh_after: WireTime,
  })
  .meta({ id: 'EmbedToken' });
export type EmbedToken = z.output<typeof EmbedToken>;

export const EmbedSession = z
  .strictObject({
    object: z.literal('embed_session'),
    project: z.strictObject({ id: Uuid, name: z.string(), slug: z.string() }),
    env: Env,
    test_mode: z.boolean(),
    tenant: z.strictObject({ id: Uuid, external_id: z.string(), name: z.string().nullable() }),
    scopes: z.array(z.string()),
    expires_at: WireTime,
    expires_in: Count,
  })
  .meta({ id: 'EmbedSession' });
export type EmbedSession = z.output<typeof EmbedSession>;
