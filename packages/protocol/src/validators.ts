// Validators for request fields. Each is a schema and, where useful, also a type.
import { z } from 'zod';
import { findJsonFlaw, isJsonObject } from './json-value.ts';
import { text } from './text.ts';
import { parseTimestamp } from './timestamp.ts';
import { networkIn } from './wire/address-block.ts';
import { EMBED_ORIGIN } from './wire/embed-origin.ts';
import { envs } from './wire/env.ts';
import { DISPLAY_PREFIX, looksOwn } from './wire/imported-key.ts';
import {
  CURSOR_CHARS_MAX,
  CURSOR_CHARS_MIN,
  DISPLAY_PREFIX_CHARS_MAX,
  DISPLAY_PREFIX_CHARS_MIN,
  EMAIL_CHARS_MAX,
  EMBED_ORIGIN_CHARS_MAX,
  EMBED_ORIGINS_MAX,
  EXTERNAL_ID_CHARS_MAX,
  EXTERNAL_ID_CHARS_MIN,
  NAME_CHARS_MAX,
  NAME_CHARS_MIN,
  NETWORK_CHARS_MAX,
  ONE_TIME_TOKEN_CHARS_MAX,
  ONE_TIME_TOKEN_CHARS_MIN,
  OVERLAP_HOURS_DEFAULT,
  OVERLAP_HOURS_MAX,
  OVERLAP_HOURS_MIN,
  PASSWORD_CHARS_MAX,
  PASSWORD_CHARS_MIN,
  RATE_LIMIT_MAX,
  RATE_LIMIT_MIN,
  RATE_LIMIT_RULES_MAX,
  RATE_LIMIT_WINDOW_MS_MAX,
  RATE_LIMIT_WINDOW_MS_MIN,
  REASON_CHARS_MAX,
  REASON_CHARS_MIN,
  SCOPE_CHARS_MAX,
  SCOPE_CHARS_MIN,
  SCOPES_MAX,
  SECRET_KEY_NETWORKS_MAX,
  SECRET_KEY_PROJECTS_MAX,
  SLUG_CHARS_MAX,
  SLUG_CHARS_MIN,
} from './wire/limits.ts';
import { NODE_ID } from './wire/node-header.ts';
import { permissions, sortedPermissions } from './wire/permissions.ts';
import { RATE_LIMIT_ID } from './wire/rate-limit-id.ts';
import { roles } from './wire/roles.ts';
import { SHA256_HEX } from './wire/sha256-hex.ts';
import { SLUG } from './wire/slug.ts';

export const Env = z.enum(envs);
export type Env = z.output<typeof Env>;

export const Role = z.enum(roles);
export type Role = z.output<typeof Role>;

/** A UUID of any version, converted to lowercase. */
export const Uuid = z.guid('must be a UUID').toLowerCase();

export const Name = text(NAME_CHARS_MIN, NAME_CHARS_MAX);
export const ExternalId = text(EXTERNAL_ID_CHARS_MIN, EXTERNAL_ID_CHARS_MAX);
export const Reason = text(REASON_CHARS_MIN, REASON_CHARS_MAX);
export const OneTimeToken = text(ONE_TIME_TOKEN_CHARS_MIN, ONE_TIME_TOKEN_CHARS_MAX);
export const Cursor = text(CURSOR_CHARS_MIN, CURSOR_CHARS_MAX);

export const Slug = z
  .string()
  .regex(
    SLUG,
    `must be ${SLUG_CHARS_MIN} to ${SLUG_CHARS_MAX} lowercase letters, digits or hyphens, ` +
      'with no hyphen at either end',
  );

/** An email address, stored as sent. Comparisons ignore case. */
export const Email = z
  .string()
  .refine(isEmail, `must be an email address of at most ${EMAIL_CHARS_MAX} characters`)
  .meta({ format: 'email', maxLength: EMAIL_CHARS_MAX });

/** A new password. The deployment sets the minimum length. */
export const password = (charsMin: number = PASSWORD_CHARS_MIN) =>
  text(charsMin, PASSWORD_CHARS_MAX).meta({ format: 'password' });

/**
 * A password in a request, whether new or existing. The schema does not know the deployment's
 * minimum length, so code that stores a new password also has to parse it with
 * `password(charsMin)`.
 */
export const Password = password(1);

export const NewPassword = Password.meta({
  description:
    `At least ${PASSWORD_CHARS_MIN} characters, unless the deployment sets another minimum. ` +
    'Common passwords and your own email address are rejected.',
});

/** A timestamp, parsed to a Date and truncated to milliseconds. */
export const Timestamp = z
  .string()
  .transform((value, ctx) => {
    const at = parseTimestamp(value);
    if (at) return at;
    ctx.addIssue({
      code: 'custom',
      message: 'must be an ISO 8601 date-time with seconds and an offset or Z',
    });
    return z.NEVER;
  })
  .meta({ jsonSchema: { type: 'string', format: 'date-time' } });

/** Any JSON object without a `__proto__` key. Arrays and scalars are rejected. */
export const Meta = z
  .custom<Record<string, unknown>>(isJsonObject, 'must be a JSON object')
  .check((ctx) => {
    const flaw = isJsonObject(ctx.value) ? findJsonFlaw(ctx.value) : null;
    if (flaw) ctx.issues.push({ code: 'custom', ...flaw, input: ctx.value });
  })
  .meta({ jsonSchema: { type: 'object', additionalProperties: true } });
export type Meta = z.output<typeof Meta>;

export const Scopes = z.array(text(SCOPE_CHARS_MIN, SCOPE_CHARS_MAX)).max(SCOPES_MAX);

export const RateLimit = z
  .strictObject({
    id: z.string().regex(RATE_LIMIT_ID),
    limit: z.int().min(RATE_LIMIT_MIN).max(RATE_LIMIT_MAX),
    window_ms: z.int().min(RATE_LIMIT_WINDOW_MS_MIN).max(RATE_LIMIT_WINDOW_MS_MAX),
    algorithm: z.enum(['sliding', 'fixed']),
    scope: z.enum(['key', 'tenant']),
  })
  .meta({ id: 'RateLimit' });
export type RateLimit = z.output<typeof RateLimit>;

export const RateLimits = z
  .array(RateLimit)
  .max(RATE_LIMIT_RULES_MAX)
  .refine((rules) => isUnique(rules.map((rule) => rule.id)), 'rate limit ids must be unique');
export type RateLimits = z.output<typeof RateLimits>;

export const EmbedOrigins = z
  .array(
    z.string().max(EMBED_ORIGIN_CHARS_MAX).regex(EMBED_ORIGIN, 'must be an origin without a path'),
  )
  .max(EMBED_ORIGINS_MAX)
  .refine(isUnique, 'origins must be unique');

/** The permissions of a secret key, sorted in the order of `permissions`. */
export const Permissions = z
  .array(z.enum(permissions))
  .min(1)
  .max(permissions.length)
  .transform(sortedPermissions);

export const ProjectIds = z
  .array(Uuid)
  .min(1)
  .max(SECRET_KEY_PROJECTS_MAX)
  .transform((ids) => [...new Set(ids)]);

/** CIDR blocks in their canonical form. */
export const Networks = z
  .array(
    z
      .string()
      .max(NETWORK_CHARS_MAX)
      .transform((block, ctx) => {
        const { network, flaw } = networkIn(block);
        if (network !== null) return network;
        ctx.addIssue({ code: 'custom', message: flaw });
        return z.NEVER;
      }),
  )
  .min(1)
  .max(SECRET_KEY_NETWORKS_MAX)
  .transform((networks) => [...new Set(networks)]);

export const Sha256Hex = z
  .string()
  .regex(/^[0-9a-fA-F]{64}$/, 'must be 64 hexadecimal characters')
  .toLowerCase();

export const LookupHash = z.string().regex(SHA256_HEX, 'must be 64 lowercase hex characters');

/** The part of an imported key that may be shown. It must not look like a Keyrail credential. */
export const DisplayPrefix = z
  .string()
  .regex(
    DISPLAY_PREFIX,
    `must be ${DISPLAY_PREFIX_CHARS_MIN} to ${DISPLAY_PREFIX_CHARS_MAX} printable ASCII characters`,
  )
  .refine((shown) => !looksOwn(shown), 'must not begin with kr_, krsk_ or krses_');

export const NodeId = z.string().regex(NODE_ID);

/** The nonce in a request to the policy feed: 16 random bytes in base64url. */
export const FeedNonce = z.string().regex(/^[A-Za-z0-9_-]{22}$/);

export const OverlapHours = z
  .number()
  .min(OVERLAP_HOURS_MIN)
  .max(OVERLAP_HOURS_MAX)
  .default(OVERLAP_HOURS_DEFAULT);

// In both patterns, the parts between dots cannot contain dots themselves, so matching backtracks
// over at most one part. Because the length is checked first, matching takes microseconds at most.
const LOCAL = /^[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*$/;
const DOMAIN = /^(?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?\.)+[a-z][a-z\d-]{0,61}[a-z\d]$/i;

function isEmail(value: string): boolean {
  if (value.length > EMAIL_CHARS_MAX) return false;
  const at = value.lastIndexOf('@');
  return LOCAL.test(value.slice(0, Math.max(at, 0))) && DOMAIN.test(value.slice(at + 1));
}

function isUnique(values: readonly string[]): boolean {
  return new Set(values).size === values.length;
}
