// A process that verifies keys by the policy feed, as the control plane knows it.
import { z } from 'zod';
import { Uuid } from '../validators.ts';
import { Count, WireTime } from './wire.ts';

export const PolicyNode = z
  .strictObject({
    object: z.literal('policy_node'),
    node_id: z.string(),
    project_id: Uuid,
    env_scope: z.enum(['all', 'live', 'test']).meta({
      description: 'The environment that the node follows, or `all`.',
    }),
    version: Count.meta({
      description: 'The version that the node has acknowledged; 0 before the first.',
    }),
    current_version: z.int().min(1).meta({ description: 'The version of the project.' }),
    state: z.enum(['current', 'behind', 'silent']).meta({
      description:
        '`silent`: has not polled for 90 seconds of served time, so no revocation waits for it. ' +
        'Otherwise `current` or `behind`, by its version.',
    }),
    connected: z.boolean().meta({
      description:
        'Whether a poll of the node is held, or its next poll is not yet overdue. Revocations also ' +
        'wait for a node that is not connected, until it is `silent`.',
    }),
    sdk: z
      .strictObject({ name: z.string(), version: z.string() })
      .nullable()
      .meta({ description: 'From the header `Keyrail-SDK` of the node.' }),
    first_seen_at: WireTime,
    last_seen_at: WireTime,
  })
  .meta({ id: 'PolicyNode' });
export type PolicyNode = z.output<typeof PolicyNode>;

export const PolicyNodeReport = z
  .strictObject({
    object: z.literal('policy_node_report'),
    project_id: Uuid,
    version: z.int().min(1).meta({
      description: 'The version of the project, read after all nodes were recorded.',
    }),
    left: z.array(z.string()).meta({
      description:
        'The ids of the reported nodes that have left. They are not recorded, and get no policy.',
    }),
  })
  .meta({ id: 'PolicyNodeReport' });
export type PolicyNodeReport = z.output<typeof PolicyNodeReport>;
