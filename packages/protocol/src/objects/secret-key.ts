// A credential for the vendor's own backend.
import { z } from 'zod';
import { Env, Meta, Uuid } from '../validators.ts';
import { secretKeyStates } from '../wire/key-states.ts';
import { KEY_EXPIRING_DAYS } from '../wire/limits.ts';
import { permissions, profileNames } from '../wire/permissions.ts';
import { SecretText, ShownOnce, WireTime } from './wire.ts';

export const SecretKey = z
  .strictObject({
    object: z.literal('secret_key'),
    id: Uuid,
    env: Env,
    display_prefix: z.string(),
    name: z.string().nullable(),
    state: z.enum(secretKeyStates).meta({
      description:
        'The state when the response was made: the first that applies of `revoked`, ' +
        `\`quarantined\`, \`expired\`, \`expiring\` (within ${KEY_EXPIRING_DAYS} days) and \`active\`.`,
    }),
    meta: Meta,
    expires_at: WireTime.nullable(),
    revoked_at: WireTime.nullable(),
    revoked_reason: z.string().nullable(),
    quarantined_at: WireTime.nullable(),
    quarantine_reason: z.string().nullable(),
    rotated_from: Uuid.nullable(),
    created_at: WireTime,
    last_used_at: WireTime.nullable(),
    authority: z.enum(['owner', 'admin']).nullable().meta({
      description: "The key's role: its creator's, or lower.",
    }),
    created_by: Uuid.nullable().meta({
      description:
        'The user or secret key that created it; `null` for the first key of a workspace and for ' +
        'keys created before this was recorded.',
    }),
    permissions: z.array(z.enum(permissions)).nullable().meta({
      description: 'What the key may do, within its role; `null` if only its role limits it.',
    }),
    profile: z.enum(profileNames).nullable().meta({
      description: 'The profile with exactly these permissions; `null` if there is none.',
    }),
    project_ids: z.array(Uuid).nullable().meta({
      description: 'The projects the key is limited to; `null` for all projects.',
    }),
    networks: z.array(z.string()).nullable().meta({
      description: 'The CIDR blocks the key may be used from; `null` for any address.',
    }),
  })
  .meta({ id: 'SecretKey' });
export type SecretKey = z.output<typeof SecretKey>;

/** Includes the full key, which is never shown again. */
export const CreatedSecretKey = SecretKey.extend({
  key: SecretText,
  key_shown_once: ShownOnce,
}).meta({ id: 'CreatedSecretKey' });
export type CreatedSecretKey = z.output<typeof CreatedSecretKey>;

/** The first key of a new workspace. Retrying the request does not return the key again. */
export const FirstSecretKey = SecretKey.extend({
  key: z.string(),
  key_shown_once: z.literal(true),
}).meta({ id: 'FirstSecretKey' });

/** The new key. `previous_key` is the old key with its shortened expiry. */
export const RotatedSecretKey = CreatedSecretKey.extend({ previous_key: SecretKey }).meta({
  id: 'RotatedSecretKey',
});
export type RotatedSecretKey = z.output<typeof RotatedSecretKey>;

export const SecretKeyUsage = z
  .strictObject({
    object: z.literal('secret_key_usage'),
    secret_key_id: Uuid,
    permissions: z.array(
      z.strictObject({ permission: z.enum(permissions), last_used_at: WireTime }),
    ),
  })
  .meta({ id: 'SecretKeyUsage' });
export type SecretKeyUsage = z.output<typeof SecretKeyUsage>;
