// A project: one API that a vendor protects.
import { z } from 'zod';
import { RateLimits, Uuid } from '../validators.ts';
import { Count, WireTime } from './wire.ts';

export const Project = z
  .strictObject({
    object: z.literal('project'),
    id: Uuid,
    name: z.string(),
    slug: z.string(),
    policy_version: z.int().min(1),
    default_rate_limits: RateLimits,
    created_at: WireTime,
    updated_at: WireTime,
  })
  .meta({ id: 'Project' });
export type Project = z.output<typeof Project>;

export const DeletedProject = z
  .strictObject({
    object: z.literal('project'),
    id: Uuid,
    deleted: z.literal(true),
    revoked_keys: Count,
  })
  .meta({ id: 'DeletedProject' });
export type DeletedProject = z.output<typeof DeletedProject>;
