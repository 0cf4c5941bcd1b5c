// Rows of the hash-chained audit log, and the result of verifying a chain.
import { z } from 'zod';
import { Meta, Uuid } from '../validators.ts';
import { Count, WireHash, WireTime } from './wire.ts';

const ActorType = z.enum(['user', 'secret_key', 'bootstrap', 'embed', 'scanner', 'system']);

export const AuditActor = z.strictObject({
  id: Uuid,
  email: z.string(),
  email_verified: z.boolean(),
  name: z.string().nullable(),
});
export type AuditActor = z.output<typeof AuditActor>;

export const AuditLog = z
  .strictObject({
    object: z.literal('audit_log'),
    id: Uuid,
    seq: z.int().min(1),
    occurred_at: WireTime,
    actor_type: ActorType,
    // Not always a UUID: for a scanner, it is the identifier of the scanner's public key.
    actor_id: z.string().nullable(),
    // Null for actors other than users. Missing from responses to test credentials, which may not
    // read users.
    actor: AuditActor.nullable().optional(),
    action: z.string(),
    target_type: z.string(),
    target_id: z.string(),
    payload: Meta,
    prev_hash: WireHash,
    hash: WireHash,
  })
  .meta({ id: 'AuditLog' });
export type AuditLog = z.output<typeof AuditLog>;

export const AuditAnchor = z
  .strictObject({
    object: z.literal('audit_anchor'),
    workspace_id: Uuid,
    seq: z.int().min(1),
    hash: WireHash,
    occurred_at: WireTime.meta({ description: 'When the entry was written.' }),
    count: Count.meta({ description: 'The number of entries up to this one.' }),
    anchored_at: WireTime,
    kid: Uuid,
    signature: z
      .string()
      .regex(/^[\w-]{86}$/)
      .meta({
        description:
          'Ed25519, in base64url, over the canonical JSON (RFC 8785) of all other fields.',
      }),
  })
  .meta({ id: 'AuditAnchor' });
export type AuditAnchor = z.output<typeof AuditAnchor>;

export const AuditChain = z
  .strictObject({
    object: z.literal('audit_chain'),
    verified: z.boolean(),
    checked: Count,
    head_seq: Count,
    head_hash: WireHash,
    broken_seq: z.int().min(1).nullable(),
    reason: z.string().nullable(),
  })
  .meta({ id: 'AuditChain' });
export type AuditChain = z.output<typeof AuditChain>;
