// The policy that nodes use to verify keys: complete (a snapshot), or only the changes (a delta).
import { z } from 'zod';
import { Env, Meta, RateLimits, Uuid } from '../validators.ts';
import { Count, WireHash, WireTime } from './wire.ts';

export const PolicyEntry = z
  .strictObject({
    key_id: Uuid,
    tenant_id: Uuid,
    env: Env,
    lookup_hash: WireHash,
    display_prefix: z.string(),
    scopes: z.array(z.string()),
    expires_at: WireTime.nullable(),
    // Never null. If the key doesn't define limits, these are its project's defaults.
    rate_limits: RateLimits,
    meta: Meta.optional().meta({ description: 'Only with `include=meta`.' }),
    tenant_external_id: z
      .string()
      .optional()
      .meta({ description: 'Only with `include=external_id`.' }),
    imported: z
      .literal(true)
      .optional()
      .meta({
        description:
          'Only on imported keys. They are not in the Keyrail format, so their environment is ' +
          'the one in this entry.',
      }),
  })
  .meta({ id: 'PolicyEntry' });
export type PolicyEntry = z.output<typeof PolicyEntry>;

const PolicyUpsert = PolicyEntry.extend({ change: z.literal('upsert') }).meta({
  id: 'PolicyUpsert',
});

const PolicyRemove = z
  .strictObject({
    change: z.literal('remove'),
    key_id: Uuid,
    tenant_id: Uuid,
    env: Env,
    lookup_hash: WireHash,
    reason: z.string(),
  })
  .meta({ id: 'PolicyRemove' });

export const PolicyChange = z.discriminatedUnion('change', [PolicyUpsert, PolicyRemove]);
export type PolicyChange = z.output<typeof PolicyChange>;

const head = {
  workspace_id: Uuid,
  project_id: Uuid,
  env: Env.nullable(),
  version: z.int().min(1),
  project_deleted: z.boolean(),
  generated_at: WireTime,
};

export const PolicySnapshot = z
  .strictObject({
    object: z.literal('policy_snapshot'),
    ...head,
    keys: z.array(PolicyEntry),
    next_cursor: z.string().nullable(),
  })
  .meta({ id: 'PolicySnapshot' });
export type PolicySnapshot = z.output<typeof PolicySnapshot>;

export const PolicyDelta = z
  .strictObject({
    object: z.literal('policy_delta'),
    ...head,
    since: Count,
    changes: z.array(PolicyChange),
  })
  .meta({ id: 'PolicyDelta' });
export type PolicyDelta = z.output<typeof PolicyDelta>;
