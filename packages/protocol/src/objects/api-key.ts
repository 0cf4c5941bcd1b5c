// The key a vendor issues to a customer.
import { z } from 'zod';
import { Env, Meta, RateLimits, Uuid } from '../validators.ts';
import { keyStates } from '../wire/key-states.ts';
import { KEY_EXPIRING_DAYS } from '../wire/limits.ts';
import { incompleteReasons } from '../wire/receipt.ts';
import { Count, SecretText, ShownOnce, WireTime } from './wire.ts';

export const ApiKey = z
  .strictObject({
    object: z.literal('api_key'),
    id: Uuid,
    project_id: Uuid,
    tenant_id: Uuid,
    env: Env,
    display_prefix: z.string(),
    name: z.string().nullable(),
    state: z.enum(keyStates).meta({
      description:
        'The state when the response was made: the first that applies of `revoked`, ' +
        `\`quarantined\`, \`disabled\`, \`expired\`, \`expiring\` (within ${KEY_EXPIRING_DAYS} days) ` +
        'and `active`.',
    }),
    scopes: z.array(z.string()),
    meta: Meta,
    rate_limits: RateLimits.nullable().meta({
      description: "`null` means the project's default; an empty array means no limits.",
    }),
    expires_at: WireTime.nullable(),
    revoked_at: WireTime.nullable(),
    revoked_reason: z.string().nullable(),
    quarantined_at: WireTime.nullable(),
    quarantine_reason: z.string().nullable(),
    disabled_at: WireTime.nullable().meta({
      description: 'When the key was disabled. Nodes reject it until it is enabled again.',
    }),
    disabled_reason: z.string().nullable().meta({
      description: 'Always `null` in the embed API: the reason is only for you.',
    }),
    rotated_from: Uuid.nullable(),
    imported: z.boolean().meta({ description: 'Whether another product issued the key.' }),
    created_at: WireTime,
    last_used_at: WireTime.nullable(),
  })
  .meta({ id: 'ApiKey' });
export type ApiKey = z.output<typeof ApiKey>;

/** Includes the full key, which is never shown again. */
export const CreatedApiKey = ApiKey.extend({
  key: SecretText,
  key_shown_once: ShownOnce,
}).meta({ id: 'CreatedApiKey' });
export type CreatedApiKey = z.output<typeof CreatedApiKey>;

/** The new key. `previous_key` is the old key with its shortened expiry. */
export const RotatedApiKey = CreatedApiKey.extend({ previous_key: ApiKey }).meta({
  id: 'RotatedApiKey',
});
export type RotatedApiKey = z.output<typeof RotatedApiKey>;

/** Which nodes have applied a change that revokes or disables a key. */
const Propagation = z
  .strictObject({
    version: z.int().min(1),
    complete: z.boolean(),
    incomplete_reason: z
      .enum(incompleteReasons)
      .nullable()
      .meta({
        description:
          'Why `complete` is false: the first of these that applies. `restored`: the database ' +
          'was restored less than 100 seconds of server uptime ago, so nodes it does not know ' +
          'yet may still accept the key. `full`: the project cannot register more nodes. ' +
          '`silent`: a node has not polled since the wait started. `timeout`: the wait ended ' +
          'before a node had acknowledged the change. `null` if `complete` is true.',
      }),
    waited_ms: Count,
    acked_nodes: Count,
    total_nodes: Count,
    silent_nodes: Count.meta({
      description:
        'Nodes that polled in the last 24 hours but not in the last 90 seconds of server uptime, ' +
        'and did not report shutting down. The wait leaves them out, and they may still accept the ' +
        'key.',
    }),
    nodes: z.array(
      z.strictObject({
        node_id: z.string(),
        env_scope: z.enum(['all', 'live', 'test']),
        version: Count,
        acked: z.boolean(),
        acked_after_ms: Count.nullable().meta({
          description:
            'Milliseconds from the start of the wait until the acknowledgement was seen; `null` ' +
            'if the node has not acknowledged the change.',
        }),
        last_seen_at: WireTime,
      }),
    ),
    receipt: z
      .string()
      .nullable()
      .meta({
        description:
          'A signed statement of this result (a compact JWS), for an auditor to verify without ' +
          'Keyrail. `null` if the deployment has no receipt signing key.',
      }),
  })
  .meta({ id: 'Propagation' });

/** `propagation` is present only with `wait=true`. */
export const RevokedApiKey = ApiKey.extend({ propagation: Propagation.optional() }).meta({
  id: 'RevokedApiKey',
});
export type RevokedApiKey = z.output<typeof RevokedApiKey>;

/** `propagation` is present only with `wait=true`. */
export const DisabledApiKey = ApiKey.extend({ propagation: Propagation.optional() }).meta({
  id: 'DisabledApiKey',
});
