// API keys, managed by the vendor.
import { z } from 'zod';
import { endpoints } from '../endpoint.ts';
import {
  ApiKey,
  CreatedApiKey,
  DisabledApiKey,
  RevokedApiKey,
  RotatedApiKey,
} from '../objects/api-key.ts';
import { KeyExplanation } from '../objects/key-explanation.ts';
import { KeyCount } from '../objects/summary.ts';
import { Usage } from '../objects/usage.ts';
import { list } from '../objects/wire.ts';
import { byId, Ids, paging, queryBoolean, queryInteger, search } from '../query.ts';
import { text } from '../text.ts';
import {
  Env,
  Meta,
  Name,
  OverlapHours,
  RateLimits,
  Reason,
  Scopes,
  Timestamp,
  Uuid,
} from '../validators.ts';
import { keyStates } from '../wire/key-states.ts';
import {
  KEY_COUNTS_LIMIT_MAX,
  KEY_TEXT_CHARS_MAX,
  KEYS_LIMIT_DEFAULT,
  KEYS_LIMIT_MAX,
  UNUSED_DAYS_MAX,
  UNUSED_DAYS_MIN,
  UNUSED_KEYS_EXAMINED_MAX,
  USAGE_DAYS_DEFAULT,
  USAGE_DAYS_MAX,
  USAGE_DAYS_MIN,
} from '../wire/limits.ts';

export const keyEndpoints = endpoints({
  'POST /v1/keys': {
    auth: 'vendor',
    permission: 'keys:write',
    summary: 'Create an API key',
    description:
      'The full key is in `key` and is shown once. Without `rate_limits`, the key uses its ' +
      "project's default limits; an empty array means no limits.",
    body: z.strictObject({
      project_id: Uuid,
      tenant_id: Uuid,
      env: Env,
      name: Name.optional(),
      scopes: Scopes.optional(),
      meta: Meta.optional(),
      rate_limits: RateLimits.optional(),
      expires_at: Timestamp.optional(),
    }),
    refusals: {
      404: 'No such project or tenant.',
      409: "The workspace's `meta` would exceed its maximum.",
    },
    answers: { 201: CreatedApiKey },
  },
  'GET /v1/keys': {
    auth: 'vendor',
    permission: 'keys:read',
    summary: 'List API keys, newest first',
    description:
      'Filter by project, tenant or environment. Revoked keys are left out unless you ask for ' +
      'them. Full keys are never shown again.',
    query: z.strictObject({
      project_id: Uuid.optional(),
      tenant_id: Uuid.optional(),
      env: Env.optional(),
      include_revoked: queryBoolean(false),
      state: z
        .enum(keyStates)
        .optional()
        .meta({ description: 'Only keys in this state, regardless of `include_revoked`.' }),
      unused_days: queryInteger(UNUSED_DAYS_MIN, UNUSED_DAYS_MAX)
        .optional()
        .meta({
          jsonSchema: { type: 'integer', minimum: UNUSED_DAYS_MIN, maximum: UNUSED_DAYS_MAX },
          description:
            'Only keys that were created and last used at least this many days ago, or never ' +
            `used. Each page covers ${UNUSED_KEYS_EXAMINED_MAX} keys, so a page may be short or ` +
            'empty and still have a next page.',
        }),
      ...byId,
      ...search("name, display prefix or ID, or whose tenant's name or external ID,"),
      ...paging(KEYS_LIMIT_MAX, KEYS_LIMIT_DEFAULT),
    }),
    list: true,
    answers: { 200: list(ApiKey) },
  },
  'GET /v1/keys/counts': {
    auth: 'vendor',
    permission: 'keys:read',
    summary: 'Count the keys of projects or tenants',
    description:
      'One entry for each ID and environment, for up to 100 projects or tenants. Unknown IDs are ' +
      'left out.',
    query: z.strictObject({
      by: z.enum(['project', 'tenant']),
      env: Env.optional(),
      id: Ids,
      ...paging(KEY_COUNTS_LIMIT_MAX, KEY_COUNTS_LIMIT_MAX),
    }),
    list: true,
    answers: { 200: list(KeyCount) },
  },
  'GET /v1/keys/{id}': {
    auth: 'vendor',
    permission: 'keys:read',
    summary: 'Read an API key',
    description:
      'Returns its scopes, limits and state, including when it was revoked or quarantined. The ' +
      'full key is never shown again.',
    answers: { 200: ApiKey },
  },
  'PATCH /v1/keys/{id}': {
    auth: 'vendor',
    permission: 'keys:write',
    summary: 'Change an API key',
    description:
      'Changes the fields you send; nodes apply them at their next poll. `rate_limits: null` ' +
      "resets the key to its project's default. A quarantined key cannot expire later than one " +
      'hour after it was found.',
    body: z.strictObject({
      name: Name.nullable().optional(),
      scopes: Scopes.optional(),
      meta: Meta.optional(),
      rate_limits: RateLimits.nullable().optional(),
      expires_at: Timestamp.nullable().optional(),
    }),
    bodyOptional: true,
    dryRun: true,
    refusals: {
      409:
        'The key is revoked, a quarantined key would expire too late, or the ' +
        "workspace's `meta` would exceed its maximum.",
    },
    answers: { 200: ApiKey },
  },
  'POST /v1/keys/{id}/rotate': {
    auth: 'vendor',
    permission: 'keys:write',
    summary: 'Replace an API key without downtime',
    description:
      'Creates a new key with the same name, scopes, `meta` and limits. Both keys work until ' +
      'the overlap ends; an earlier expiry is never moved later.',
    body: z.strictObject({ overlap_hours: OverlapHours }),
    bodyOptional: true,
    dryRun: true,
    refusals: {
      409:
        "The key is revoked, disabled or expired, or the workspace's `meta` would exceed its " +
        'maximum.',
    },
    answers: { 200: RotatedApiKey },
  },
  'POST /v1/keys/{id}/revoke': {
    auth: 'vendor',
    permission: 'keys:write',
    summary: 'Revoke an API key',
    description:
      'Revoking a revoked key changes nothing. With `wait=true`, the response is sent once every ' +
      'active node has acknowledged the revocation, or after a timeout; see `propagation`. A ' +
      'node is active if it has polled in the last 90 seconds, not counting time when the ' +
      'control plane was down.',
    query: z.strictObject({ wait: queryBoolean(false) }),
    body: z.strictObject({ reason: Reason.optional() }),
    bodyOptional: true,
    dryRun: true,
    answers: { 200: RevokedApiKey },
  },
  'POST /v1/keys/{id}/disable': {
    auth: 'vendor',
    permission: 'keys:write',
    summary: 'Disable an API key until it is enabled again',
    description:
      'Nodes reject the key; nothing else about it changes. Disabling a disabled key changes ' +
      'nothing. With `wait=true`, the response waits for nodes as it does for a revocation.',
    query: z.strictObject({ wait: queryBoolean(false) }),
    body: z.strictObject({ reason: Reason.optional() }),
    bodyOptional: true,
    dryRun: true,
    refusals: { 409: 'The key is revoked.' },
    answers: { 200: DisabledApiKey },
  },
  'POST /v1/keys/{id}/enable': {
    auth: 'vendor',
    permission: 'keys:write',
    summary: 'Enable a disabled API key',
    description:
      'Nodes accept the key again at their next poll, unless it has expired in the meantime. ' +
      'Enabling an enabled key changes nothing.',
    body: z.strictObject({}),
    bodyOptional: true,
    refusals: { 409: 'The key is revoked.' },
    answers: { 200: ApiKey },
  },
  'POST /v1/keys/explain': {
    auth: 'vendor',
    permission: 'keys:read',
    summary: 'Explain why a key is allowed or denied',
    description:
      'Checks a key the way a node in the project does, against the current policy, and reports ' +
      'each check. Send the key itself, or its ID. `env` and `scopes` are what the route ' +
      "requires, and `at` is the time of the request; without `project_id`, the key's own " +
      'project is used. The key is never stored or logged. Keys from another workspace are ' +
      'unknown; so are live keys if you use a test key.',
    reads: true,
    body: z
      .strictObject({
        key: text(0, KEY_TEXT_CHARS_MAX).optional(),
        key_id: Uuid.optional(),
        project_id: Uuid.optional(),
        env: Env.optional(),
        scopes: Scopes.optional(),
        at: Timestamp.optional(),
      })
      .refine(({ key, key_id: keyId }) => (key === undefined) !== (keyId === undefined), {
        path: ['key'],
        message: 'send exactly one of key and key_id',
      }),
    refusals: { 404: 'No such project.' },
    answers: { 200: KeyExplanation },
  },
  'GET /v1/keys/{id}/usage': {
    auth: 'vendor',
    permission: 'usage:read',
    summary: 'Read the daily usage of an API key',
    description:
      'One entry for each day with traffic, in UTC, from the telemetry of your nodes. Counts of ' +
      'sampled requests are extrapolated.',
    query: z.strictObject({
      days: queryInteger(USAGE_DAYS_MIN, USAGE_DAYS_MAX, USAGE_DAYS_DEFAULT),
    }),
    answers: { 200: Usage },
  },
});
