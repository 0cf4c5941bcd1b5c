// Credentials for the vendor's own backend.
import { z } from 'zod';
import { endpoints } from '../endpoint.ts';
import {
  CreatedSecretKey,
  RotatedSecretKey,
  SecretKey,
  SecretKeyUsage,
} from '../objects/secret-key.ts';
import { list } from '../objects/wire.ts';
import { byId, paging } from '../query.ts';
import {
  Env,
  Meta,
  Name,
  Networks,
  OverlapHours,
  Permissions,
  ProjectIds,
  Reason,
  Timestamp,
} from '../validators.ts';
import {
  LIST_LIMIT_DEFAULT,
  LIST_LIMIT_MAX,
  SECRET_KEY_USE_DAYS,
  SECRET_KEY_USE_HOURS,
} from '../wire/limits.ts';
import { profileNames } from '../wire/permissions.ts';

export const secretKeyEndpoints = endpoints({
  'POST /v1/secret_keys': {
    auth: 'vendor',
    permission: 'secret_keys:write',
    summary: 'Create a secret key',
    description:
      'The full key is in `key` and is shown once. Without `profile` and `permissions`, only its ' +
      'role limits the key. A secret key can only create keys within its own permissions, projects, ' +
      'networks and expiry.',
    body: z
      .strictObject({
        env: Env,
        name: Name.optional(),
        meta: Meta.optional(),
        expires_at: Timestamp.optional(),
        profile: z.enum(profileNames).optional().meta({
          description: 'Sets `permissions` to those of a profile.',
        }),
        permissions: Permissions.optional(),
        project_ids: ProjectIds.optional(),
        networks: Networks.optional(),
      })
      .refine(({ profile, permissions }) => profile === undefined || permissions === undefined, {
        path: ['permissions'],
        message: 'cannot be combined with profile',
      }),
    refusals: {
      404: 'No such project.',
      409: "The workspace's `meta` would exceed its maximum.",
    },
    answers: { 201: CreatedSecretKey },
  },
  'GET /v1/secret_keys': {
    auth: 'vendor',
    permission: 'secret_keys:read',
    summary: 'List secret keys, newest first',
    description: 'Includes revoked keys. A test credential only sees test keys.',
    query: z.strictObject({ ...byId, ...paging(LIST_LIMIT_MAX, LIST_LIMIT_DEFAULT) }),
    list: true,
    answers: { 200: list(SecretKey) },
  },
  'GET /v1/secret_keys/current': {
    auth: 'machine',
    permission: null,
    summary: 'Read the calling secret key',
    description: 'Tells a program what its own key may do, and when it expires.',
    answers: { 200: SecretKey },
  },
  'GET /v1/secret_keys/{id}': {
    auth: 'vendor',
    permission: 'secret_keys:read',
    summary: 'Read a secret key',
    description:
      'Returns its environment and state, including when it was last used, revoked or ' +
      'quarantined. The full key is never shown again.',
    answers: { 200: SecretKey },
  },
  'GET /v1/secret_keys/{id}/usage': {
    auth: 'vendor',
    permission: 'secret_keys:read',
    summary: 'List the permissions a secret key uses',
    description:
      `The permissions that the key's requests needed in the last ${SECRET_KEY_USE_DAYS} days. ` +
      'The rest can be removed from the key without breaking what it does today. Denied requests ' +
      `do not count. Each process records a permission at most every ${SECRET_KEY_USE_HOURS} hours, ` +
      'so its actual last use may be that much later than `last_used_at`.',
    answers: { 200: SecretKeyUsage },
  },
  'PATCH /v1/secret_keys/{id}': {
    auth: 'vendor',
    permission: 'secret_keys:write',
    ownKey: true,
    summary: 'Rename or narrow a secret key',
    description:
      'Changes only the fields in the body. `permissions`, `project_ids`, `networks` and ' +
      '`expires_at` can only narrow what the key may do; anything wider gets 403. Takes effect ' +
      'like a revocation.',
    body: z.strictObject({
      name: Name.nullable().optional(),
      meta: Meta.optional(),
      expires_at: Timestamp.nullable().optional(),
      permissions: Permissions.nullable().optional(),
      project_ids: ProjectIds.nullable().optional(),
      networks: Networks.nullable().optional(),
    }),
    bodyOptional: true,
    dryRun: true,
    refusals: { 409: "The key is revoked, or the workspace's `meta` would exceed its maximum." },
    answers: { 200: SecretKey },
  },
  'POST /v1/secret_keys/{id}/rotate': {
    auth: 'vendor',
    permission: 'secret_keys:write',
    summary: 'Replace a secret key without downtime',
    description:
      'Creates a new key with the same name, `meta`, permissions, projects and networks in the ' +
      'same environment. Both keys work ' +
      'until the overlap ends; an earlier expiry is never moved later.',
    body: z.strictObject({ overlap_hours: OverlapHours }),
    bodyOptional: true,
    dryRun: true,
    refusals: {
      409: "The key is revoked or expired, or the workspace's `meta` would exceed its maximum.",
    },
    answers: { 200: RotatedSecretKey },
  },
  'POST /v1/secret_keys/{id}/revoke': {
    auth: 'vendor',
    permission: 'secret_keys:write',
    ownKey: true,
    summary: 'Revoke a secret key',
    description:
      'Takes effect before the response is sent; only rate-limit checks and idempotency calls ' +
      'may accept the key for a few seconds longer. Revoking a revoked key changes nothing.',
    body: z.strictObject({ reason: Reason.optional() }),
    bodyOptional: true,
    dryRun: true,
    answers: { 200: SecretKey },
  },
});
