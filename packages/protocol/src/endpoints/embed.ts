// Endpoints for embed tokens: the vendor's backend creates a token, and a browser uses it to manage
// keys.
import { z } from 'zod';
import { endpoints } from '../endpoint.ts';
import { ApiKey, CreatedApiKey, RotatedApiKey } from '../objects/api-key.ts';
import { EmbedSession, EmbedToken } from '../objects/embed.ts';
import { Usage } from '../objects/usage.ts';
import { list } from '../objects/wire.ts';
import { paging, queryBoolean, queryInteger } from '../query.ts';
import { text } from '../text.ts';
import { Env, Name, OverlapHours, Reason, Scopes, Uuid } from '../validators.ts';
import {
  EMBED_KEYS_LIMIT_DEFAULT,
  EMBED_KEYS_LIMIT_MAX,
  EMBED_ORIGIN_CHARS_MAX,
  EMBED_ORIGIN_CHARS_MIN,
  EMBED_ORIGINS_MAX,
  EMBED_SCOPE_CHARS_MAX,
  EMBED_SCOPE_CHARS_MIN,
  EMBED_SCOPES_MAX,
  USAGE_DAYS_DEFAULT,
  USAGE_DAYS_MAX,
  USAGE_DAYS_MIN,
} from '../wire/limits.ts';

const GRANT_PREFIX = 'key_scope:';

/** `keys:read`, `keys:write`, or `key_scope:` followed by a scope that new keys may have. */
const EmbedScope = text(EMBED_SCOPE_CHARS_MIN, EMBED_SCOPE_CHARS_MAX).refine(
  (scope) =>
    scope === 'keys:read' ||
    scope === 'keys:write' ||
    (scope.startsWith(GRANT_PREFIX) && scope.length > GRANT_PREFIX.length),
  'must be keys:read, keys:write or key_scope:<scope>',
);

export const embedTokenEndpoints = endpoints({
  'POST /v1/embed_tokens': {
    auth: 'minting',
    permission: 'embed:write',
    summary: 'Create an embed token',
    description:
      'Lets one customer manage their keys on a page in your app for 5 minutes. For backends ' +
      'only: requests with an `Origin` header are rejected. Without `origins`, the token works ' +
      'on every registered origin of the workspace.',
    body: z.strictObject({
      project_id: Uuid,
      env: Env,
      tenant_id: Uuid,
      scopes: z.array(EmbedScope).max(EMBED_SCOPES_MAX).default(['keys:read']),
      // An empty array is rejected, because a token without origins would not work on any page.
      origins: z
        .array(text(EMBED_ORIGIN_CHARS_MIN, EMBED_ORIGIN_CHARS_MAX))
        .min(1)
        .max(EMBED_ORIGINS_MAX)
        .optional(),
    }),
    refusals: { 404: 'No such project or tenant.' },
    answers: { 201: EmbedToken },
  },
});

const headers = { Origin: "An origin in the token's audience. Browsers set it." };

// The token determines the project, tenant and environment; no parameter can override them.
export const embedEndpoints = endpoints({
  'GET /v1/embed/session': {
    auth: 'embed',
    summary: "Read the token's project, tenant and scopes",
    description:
      'Returns what a page can show: which keys it manages, and which scopes a new key can have.',
    headers,
    answers: { 200: EmbedSession },
  },
  'GET /v1/embed/keys': {
    auth: 'embed',
    summary: "List the tenant's keys, newest first",
    description:
      "Lists the tenant's keys in the token's project and environment, including the ones you " +
      'created. Revoked keys are left out unless the page asks for them.',
    headers,
    query: z.strictObject({
      include_revoked: queryBoolean(false),
      ...paging(EMBED_KEYS_LIMIT_MAX, EMBED_KEYS_LIMIT_DEFAULT),
    }),
    list: true,
    answers: { 200: list(ApiKey) },
  },
  'POST /v1/embed/keys': {
    auth: 'embed',
    summary: 'Create a key for the tenant',
    description:
      'The full key is in `key` and is shown once. The token must grant `keys:write` and every ' +
      'scope of the new key.',
    headers,
    body: z.strictObject({ name: Name.optional(), scopes: Scopes.optional() }),
    bodyOptional: true,
    refusals: { 409: 'The tenant already has the maximum number of keys.' },
    answers: { 201: CreatedApiKey },
  },
  'POST /v1/embed/keys/{id}/rotate': {
    auth: 'embed',
    summary: "Replace one of the tenant's keys without downtime",
    description:
      'Creates a new key with the same scopes, all of which the token must grant. Both keys work ' +
      'until the overlap ends.',
    headers,
    body: z.strictObject({ overlap_hours: OverlapHours }),
    bodyOptional: true,
    refusals: {
      409:
        'The key is revoked, disabled or expired, the tenant already has the maximum number of ' +
        "keys, or the workspace's `meta` would exceed its maximum.",
    },
    answers: { 200: RotatedApiKey },
  },
  'POST /v1/embed/keys/{id}/revoke': {
    auth: 'embed',
    summary: "Revoke one of the tenant's keys",
    description: 'The key stops working on every node. Revoking it again changes nothing.',
    headers,
    body: z.strictObject({ reason: Reason.optional() }),
    bodyOptional: true,
    answers: { 200: ApiKey },
  },
  'GET /v1/embed/keys/{id}/usage': {
    auth: 'embed',
    summary: "Read the daily usage of one of the tenant's keys",
    description: 'One entry for each day with traffic, in UTC, for a usage chart.',
    headers,
    query: z.strictObject({
      days: queryInteger(USAGE_DAYS_MIN, USAGE_DAYS_MAX, USAGE_DAYS_DEFAULT),
    }),
    answers: { 200: Usage },
  },
});
