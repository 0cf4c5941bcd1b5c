// Importing keys that another product issued.
import { z } from 'zod';
import { endpoints } from '../endpoint.ts';
import { ApiKey } from '../objects/api-key.ts';
import { list } from '../objects/wire.ts';
import {
  DisplayPrefix,
  Env,
  ExternalId,
  LookupHash,
  Meta,
  Name,
  RateLimits,
  Scopes,
  Timestamp,
  Uuid,
} from '../validators.ts';
import {
  IMPORT_KEYS_MAX,
  IMPORT_KEYS_MIN,
  IMPORT_VALUES_MAX,
  LARGE_BODY_BYTES_MAX,
} from '../wire/limits.ts';

const ImportedKey = z
  .strictObject({
    tenant_id: Uuid.optional(),
    tenant_external_id: ExternalId.optional(),
    lookup_hash: LookupHash.meta({
      description: 'SHA-256 of the full key, in lowercase hex.',
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

export const keyImportEndpoints = endpoints({
  'POST /v1/keys/import': {
    auth: 'vendor',
    permission: 'keys:write',
    summary: 'Import keys from another product',
    description:
      'Lets your customers keep their existing keys: send the SHA-256 hash of each one. Either ' +
      'all keys are imported or none. If the response is 404 or 409, `details` names the keys ' +
      'that caused it, such as `keys.3.lookup_hash`; remove them and send the request again. ' +
      'Imported keys work like any other; rotating one creates a Keyrail key.',
    body: z.strictObject({
      project_id: Uuid,
      env: Env,
      keys: z.array(ImportedKey).min(IMPORT_KEYS_MIN).max(IMPORT_KEYS_MAX),
    }),
    bodyBytesMax: LARGE_BODY_BYTES_MAX,
    bodyValuesMax: IMPORT_VALUES_MAX,
    refusals: {
      404: 'No such project, or no such tenant for one of the keys.',
      409:
        "A hash is already known or is sent twice, or the workspace's `meta` would exceed its " +
        'maximum.',
    },
    answers: { 201: list(ApiKey) },
  },
});
