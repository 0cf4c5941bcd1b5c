// One of the vendor's customers.
import { z } from 'zod';
import { Meta, Uuid } from '../validators.ts';
import { Count, WireTime } from './wire.ts';

export const Tenant = z
  .strictObject({
    object: z.literal('tenant'),
    id: Uuid,
    external_id: z.string(),
    name: z.string().nullable(),
    meta: Meta,
    embed_epoch: z.int().min(1),
    created_at: WireTime,
    updated_at: WireTime,
  })
  .meta({ id: 'Tenant' });
export type Tenant = z.output<typeof Tenant>;

export const DeletedTenant = z
  .strictObject({
    object: z.literal('tenant'),
    id: Uuid,
    deleted: z.literal(true),
    revoked_keys: Count,
  })
  .meta({ id: 'DeletedTenant' });
export type DeletedTenant = z.output<typeof DeletedTenant>;

export const EmbedTokensRevoked = z
  .strictObject({
    object: z.literal('tenant'),
    id: Uuid,
    embed_epoch: z.int().min(1),
    embed_tokens_revoked: z.literal(true),
  })
  .meta({ id: 'EmbedTokensRevoked' });
export type EmbedTokensRevoked = z.output<typeof EmbedTokensRevoked>;
