// API keys, managed by the vendor.
import { z } from 'zod';
import { endpoints } from '../endpoint.ts';
import { ApiKey, CreatedApiKey, RevokedApiKey, RotatedApiKey } from '../objects/api-key.ts';
import { Usage } from '../objects/usage.ts';
import { list } from '../objects/wire.ts';
import { paging, queryBoolean, queryInteger, search } from '../query.ts';
import {
  DisplayPrefix,
  Env,
  ExternalId,
  LookupHash,
  Meta,
  Name,
  OverlapHours,
  RateLimits,
  Reason,
  Scopes,
  Timestamp,
  Uuid,
} from '../validators.ts';
import {
  IMPORT_KEYS_MAX,
  IMPORT_KEYS_MIN,
  IMPORT_VALUES_MAX,
  KEYS_LIMIT_DEFAULT,
  KEYS_LIMIT_MAX,
  LARGE_BODY_BYTES_MAX,
  USAGE_DAYS_DEFAULT,
  USAGE_DAYS_MAX,
  USAGE_DAYS_MIN,
} from '../wire/limits.ts';

const ImportedKey = z
  .strictObject({
    tenant_id: Uuid.optional(),
    tenant_external_id: ExternalId.optional(),
    lookup_hash: LookupHash.meta({
      description: 'SHA-256 of the whole text of the key, in lowercase hex.',
    }),
    display_prefix: DisplayPrefix,
    name: Name.optional(),
    scopes: Scopes.optional(),
    meta: Meta.optional(),
    rate_limits: RateLimits.optional(),
    expires_at: Timestamp.optional(),
  })
  .refine(
    (key) => (key.tenant_id === undefined) !== (key.tenant_external_id === undefined),
    'must have either tenant_id or tenant_external_id',
  );

export const keyEndpoints = endpoints({
  'POST /v1/keys': {
    auth: 'vendor',
    summary: 'Create an API key',
    description:
      'The full value is in `key` and is shown once. Without `rate_limits`, the key inherits the ' +
      'default of its project; an empty array means no limits.',
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
      404: 'There is no such project or tenant.',
      409: 'The `meta` of the workspace would exceed its maximum.',
    },
    answers: { 201: CreatedApiKey },
  },
  'POST /v1/keys/import': {
    auth: 'vendor',
    summary: 'Import keys of another product',
    description:
      'Your customers keep their keys: send the SHA-256 of each. All keys are imported, or none: ' +
      '`details` of a 404 or a 409 name the keys that are the reason, as in ' +
      '`keys.3.lookup_hash`. Send the others again without them. An imported key is used like ' +
      'any other; rotating it creates a Keyrail key.',
    body: z.strictObject({
      project_id: Uuid,
      env: Env,
      keys: z.array(ImportedKey).min(IMPORT_KEYS_MIN).max(IMPORT_KEYS_MAX),
    }),
    bodyBytesMax: LARGE_BODY_BYTES_MAX,
    bodyValuesMax: IMPORT_VALUES_MAX,
    refusals: {
      404: 'There is no such project, or no such tenant of a key.',
      409:
        'A hash is known already or is sent twice, or the `meta` of the workspace would exceed ' +
        'its maximum.',
    },
    answers: { 201: list(ApiKey) },
  },
  'GET /v1/keys': {
    auth: 'vendor',
    summary: 'List API keys, newest first',
    description:
      'Narrow the list by project, tenant or environment. Revoked keys are omitted unless you ' +
      'ask for them; full values are never shown again.',
    query: z.strictObject({
      project_id: Uuid.optional(),
      tenant_id: Uuid.optional(),
      env: Env.optional(),
      include_revoked: queryBoolean(false),
      ...search('name, display prefix or id'),
      ...paging(KEYS_LIMIT_MAX, KEYS_LIMIT_DEFAULT),
    }),
    list: true,
    answers: { 200: list(ApiKey) },
  },
  'GET /v1/keys/{id}': {
    auth: 'vendor',
    summary: 'Read an API key',
    description:
      'Returns its scopes, limits and state, including when it was revoked or quarantined. The ' +
      'full value is never shown again.',
    answers: { 200: ApiKey },
  },
  'PATCH /v1/keys/{id}': {
    auth: 'vendor',
    summary: 'Change an API key',
    description:
      'Changes the fields that you send; nodes apply them with the next poll. `rate_limits: ' +
      'null` resets the key to the default of its project. The expiry of a quarantined key ' +
      'cannot be later than one hour after it was found.',
    body: z.strictObject({
      name: Name.nullable().optional(),
      scopes: Scopes.optional(),
      meta: Meta.optional(),
      rate_limits: RateLimits.nullable().optional(),
      expires_at: Timestamp.nullable().optional(),
    }),
    bodyOptional: true,
    refusals: {
      409:
        'The key is revoked, the expiry of a quarantined key would be too late, or the `meta` of ' +
        'the workspace would exceed its maximum.',
    },
    answers: { 200: ApiKey },
  },
  'POST /v1/keys/{id}/rotate': {
    auth: 'vendor',
    summary: 'Replace an API key without an outage',
    description:
      'Creates a successor with the same name, scopes, `meta` and limits. Both keys work until ' +
      'the overlap ends; an earlier expiry is never moved later.',
    body: z.strictObject({ overlap_hours: OverlapHours }),
    bodyOptional: true,
    refusals: {
      409:
        'The key is revoked or has expired, or the `meta` of the workspace would exceed its ' +
        'maximum.',
    },
    answers: { 200: RotatedApiKey },
  },
  'POST /v1/keys/{id}/revoke': {
    auth: 'vendor',
    summary: 'Revoke an API key',
    description:
      'Revoking a revoked key changes nothing. With `wait=true`, the response is sent when every ' +
      'live node has acknowledged the revocation, or at a timeout; see `propagation`. A node is ' +
      'live if it has polled within the last 90 seconds, not counting time in which the control ' +
      'plane did not serve.',
    query: z.strictObject({ wait: queryBoolean(false) }),
    body: z.strictObject({ reason: Reason.optional() }),
    bodyOptional: true,
    answers: { 200: RevokedApiKey },
  },
  'GET /v1/keys/{id}/usage': {
    auth: 'vendor',
    summary: 'Read the daily traffic of an API key',
    description:
      'One entry for each day with traffic, in UTC, from the telemetry of your nodes. Counts of ' +
      'sampled requests are extrapolated.',
    query: z.strictObject({
      days: queryInteger(USAGE_DAYS_MIN, USAGE_DAYS_MAX, USAGE_DAYS_DEFAULT),
    }),
    answers: { 200: Usage },
  },
});
