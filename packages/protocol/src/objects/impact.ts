// What a change would affect: the result of a dry run.
import { z } from 'zod';
import { Uuid } from '../validators.ts';
import { IMPACT_KEYS_MAX, IMPACT_PLACES_MAX } from '../wire/limits.ts';
import { Count, WireTime } from './wire.ts';

/** The changes that support a dry run, by audit action. */
const ForeseeableAction = z.enum([
  'tenant.deleted',
  'project.updated',
  'project.deleted',
  'api_key.updated',
  'api_key.rotated',
  'api_key.revoked',
  'api_key.disabled',
  'secret_key.updated',
  'secret_key.rotated',
  'secret_key.revoked',
  'workspace_member.removed',
]);
export type ForeseeableAction = z.output<typeof ForeseeableAction>;

const most = IMPACT_KEYS_MAX.toLocaleString('en');

export const Impact = z
  .strictObject({
    object: z.literal('impact'),
    action: ForeseeableAction.meta({ description: 'The audit action of the change.' }),
    target_type: z.string(),
    target_id: Uuid,
    keys: Count.meta({
      description:
        'Keys that would change: API keys, or secret keys if the target is one. For a member: ' +
        'the secret keys the member created that are not revoked; they keep working.',
    }),
    capped: z.boolean().meta({
      description:
        `A dry run counts at most ${most} keys, live before test and newest first, and the nodes ` +
        `of at most ${IMPACT_PLACES_MAX} projects, each in one environment. If there are more, ` +
        'this is true, every number is a lower bound, and a key may have been used later.',
    }),
    active_keys: Count.meta({ description: 'How many of those keys work right now.' }),
    tenants: Count.meta({ description: 'Tenants of the API keys that would change.' }),
    requests_24h: Count.meta({
      description:
        'Requests with those API keys, from telemetry. Telemetry is kept per day in UTC, so the ' +
        'first day of the period counts proportionally.',
    }),
    requests_7d: Count,
    last_used_at: WireTime.nullable().meta({
      description: 'The last time any of those keys was used.',
    }),
    nodes: Count.meta({
      description:
        'Nodes seen in the last 90 seconds that the change reaches. For a secret key: the nodes ' +
        'in the workspace that may be using it.',
    }),
    nodes_unable: Count.meta({
      description:
        'Those of the nodes that accept the API key now, but would reject it after the change, ' +
        'because they cannot enforce a feature that it would then require.',
    }),
    scopes_removed: z.array(z.string()).meta({
      description: 'Scopes the API key would lose; empty unless the change is an update of a key.',
    }),
  })
  .meta({ id: 'Impact' });
export type Impact = z.output<typeof Impact>;
