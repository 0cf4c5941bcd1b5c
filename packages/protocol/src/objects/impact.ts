// What a change would affect, as a dry run answers it.
import { z } from 'zod';
import { Uuid } from '../validators.ts';
import { IMPACT_KEYS_MAX, IMPACT_PLACES_MAX } from '../wire/limits.ts';
import { Count, WireTime } from './wire.ts';

/** The changes that can be foreseen, by the name of their audit row. */
const ForeseeableAction = z.enum([
  'tenant.deleted',
  'project.updated',
  'project.deleted',
  'api_key.updated',
  'api_key.rotated',
  'api_key.revoked',
  'api_key.disabled',
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
        'Keys that would change: API keys, or secret keys where the target is one. For a member, ' +
        'the unrevoked secret keys that the person created, which keep working.',
    }),
    capped: z.boolean().meta({
      description:
        `A dry run looks at ${most} keys, live before test and newest first, and counts the nodes ` +
        `of ${IMPACT_PLACES_MAX} projects in an environment. True if there is more: every figure ` +
        'is then a lower bound, and a later use is possible.',
    }),
    active_keys: Count.meta({ description: 'Those of them that can be used now.' }),
    tenants: Count.meta({ description: 'Tenants of the API keys that would change.' }),
    requests_24h: Count.meta({
      description:
        'Requests with those API keys, from telemetry. Telemetry is kept by day, in UTC: the day ' +
        'in which the period begins counts in proportion.',
    }),
    requests_7d: Count,
    last_used_at: WireTime.nullable().meta({ description: 'The last use of any of those keys.' }),
    nodes: Count.meta({
      description:
        'Nodes, seen within 90 seconds, that the change reaches. For a secret key: the nodes of ' +
        'the workspace that may use it.',
    }),
    scopes_removed: z.array(z.string()).meta({
      description: 'Scopes that an API key would lose; empty for all changes but that of a key.',
    }),
  })
  .meta({ id: 'Impact' });
export type Impact = z.output<typeof Impact>;
