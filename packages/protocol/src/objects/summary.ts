// Counts for the overview of a workspace: what it contains, and what needs attention.
import { z } from 'zod';
import { Env, Uuid } from '../validators.ts';
import {
  COUNTED_MAX,
  KEY_EXPIRING_DAYS,
  KEYS_COUNTED_MAX,
  UNUSED_DAYS_COUNTED,
} from '../wire/limits.ts';
import { Count, WireTime } from './wire.ts';

/** Counting stops at this number, so only lower counts are exact. */
const countedMax = <Max extends number>(max: Max) =>
  z.literal(max).meta({
    description: `Counting stops at ${max}, so ${max} means "${max} or more".`,
  });

export const KeyCount = z
  .strictObject({
    object: z.literal('key_count'),
    project_id: Uuid.nullable(),
    tenant_id: Uuid.nullable(),
    env: Env,
    active: Count.meta({
      description:
        'Keys in the state `active`, among the newest `counted_max` keys that are not revoked.',
    }),
    total: Count.meta({ description: 'Keys in any state, including revoked ones.' }),
    counted_max: countedMax(KEYS_COUNTED_MAX),
  })
  .meta({ id: 'KeyCount' });
export type KeyCount = z.output<typeof KeyCount>;

export const WorkspaceSummary = z
  .strictObject({
    object: z.literal('workspace_summary'),
    projects: Count,
    tenants: Count,
    keys: z.strictObject({
      active: Count,
      disabled: Count,
      expiring: Count.meta({ description: `Keys that expire within ${KEY_EXPIRING_DAYS} days.` }),
      expired: Count,
      quarantined: Count,
      unused: Count.nullable().meta({
        description:
          'Keys that are not revoked and were neither created nor used in the last ' +
          `${UNUSED_DAYS_COUNTED} days, whatever their state. \`null\` if more than ` +
          `${COUNTED_MAX} keys are that old; \`GET /v1/keys?unused_days=\` lists them.`,
      }),
    }),
    secret_keys: Count.meta({ description: 'Secret keys that are neither revoked nor expired.' }),
    nodes: z.strictObject({
      current: Count,
      behind: Count,
      silent: Count,
      connected: Count.meta({ description: 'Nodes that are currently polling, in any state.' }),
      connected_behind: Count.meta({ description: 'Connected nodes that are `behind`.' }),
      last_seen_at: WireTime.nullable().meta({ description: 'The last poll of any node.' }),
    }),
    first_request_at: WireTime.nullable().meta({
      description: 'Also `null` for a secret key that is limited to projects.',
    }),
    last_request_at: WireTime.nullable(),
    counted_max: countedMax(COUNTED_MAX),
  })
  .meta({ id: 'WorkspaceSummary' });
export type WorkspaceSummary = z.output<typeof WorkspaceSummary>;
