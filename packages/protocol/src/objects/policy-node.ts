// A process that verifies keys against the policy feed, as the control plane sees it.
import { z } from 'zod';
import { Uuid } from '../validators.ts';
import { Count, WireTime } from './wire.ts';

export const nodeStates = ['current', 'behind', 'silent'] as const;

export const PolicyNode = z
  .strictObject({
    object: z.literal('policy_node'),
    node_id: z.string(),
    project_id: Uuid,
    env_scope: z.enum(['all', 'live', 'test']).meta({
      description: 'The environment the node uses, or `all`.',
    }),
    version: Count.meta({
      description: 'The version the node has acknowledged; 0 if none yet.',
    }),
    current_version: z.int().min(1).meta({ description: "The project's current version." }),
    state: z.enum(nodeStates).meta({
      description:
        '`silent`: the node has not polled for 90 seconds of server uptime, so revocations do ' +
        'not wait for it. Otherwise `current` or `behind`, depending on its version.',
    }),
    connected: z.boolean().meta({
      description:
        'Whether the node is waiting in a poll, or its next poll is not overdue. Revocations ' +
        'also wait for nodes that are not connected, until they are `silent`.',
    }),
    sdk: z
      .strictObject({ name: z.string(), version: z.string() })
      .nullable()
      .meta({ description: "From the node's `Keyrail-SDK` header." }),
    understands: z.array(z.string()).meta({
      description:
        'The features that the node can enforce, in alphabetical order. It rejects keys that ' +
        'require any other.',
    }),
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
      description: "The project's policy version, read after all nodes were recorded.",
    }),
    left: z.array(z.string()).meta({
      description: 'IDs of reported nodes that have left. They are not recorded and get no policy.',
    }),
  })
  .meta({ id: 'PolicyNodeReport' });
export type PolicyNodeReport = z.output<typeof PolicyNodeReport>;
