// Tenants: the vendor's customers.
import { z } from 'zod';
import { endpoints } from '../endpoint.ts';
import { DeletedTenant, EmbedTokensRevoked, Tenant } from '../objects/tenant.ts';
import { list } from '../objects/wire.ts';
import { byId, paging, search } from '../query.ts';
import { ExternalId, Meta, Name } from '../validators.ts';
import { LIST_LIMIT_DEFAULT, LIST_LIMIT_MAX } from '../wire/limits.ts';

export const tenantEndpoints = endpoints({
  'POST /v1/tenants': {
    auth: 'vendor',
    permission: 'tenants:write',
    summary: 'Create a tenant',
    description:
      'Create one for each of your customers, with your own ID for the customer as ' +
      '`external_id`. Keys, usage and embed tokens belong to a tenant.',
    body: z.strictObject({
      external_id: ExternalId,
      name: Name.optional(),
      meta: Meta.optional(),
    }),
    refusals: {
      409: "The external ID is taken, or the workspace's `meta` would exceed its maximum.",
    },
    answers: { 201: Tenant },
  },
  'GET /v1/tenants': {
    auth: 'vendor',
    permission: 'tenants:read',
    summary: 'List tenants',
    description: 'Newest first. Use `external_id` to find a tenant by your own ID.',
    query: z.strictObject({
      external_id: ExternalId.optional(),
      ...byId,
      ...search('name, external ID or ID'),
      ...paging(LIST_LIMIT_MAX, LIST_LIMIT_DEFAULT),
    }),
    list: true,
    answers: { 200: list(Tenant) },
  },
  'GET /v1/tenants/{id}': {
    auth: 'vendor',
    permission: 'tenants:read',
    summary: 'Read a tenant',
    description:
      'Includes your `external_id` and `meta`. For a deleted tenant, the response is 404.',
    answers: { 200: Tenant },
  },
  'PATCH /v1/tenants/{id}': {
    auth: 'vendor',
    permission: 'tenants:write',
    allProjects: true,
    summary: 'Change a tenant',
    description:
      'Changes the fields you send. `meta` is replaced as a whole. `external_id` cannot be ' +
      'changed.',
    body: z.strictObject({
      name: Name.nullable().optional(),
      meta: Meta.optional(),
    }),
    bodyOptional: true,
    refusals: { 409: "The workspace's `meta` would exceed its maximum." },
    answers: { 200: Tenant },
  },
  'POST /v1/tenants/{id}/embed_tokens/revoke': {
    auth: 'vendor',
    permission: 'tenants:write',
    allProjects: true,
    summary: 'Revoke all embed tokens of a tenant',
    description:
      'Your pages lose access to this tenant on their next request. You can create new tokens ' +
      'immediately. API keys are not affected.',
    body: z.strictObject({}),
    bodyOptional: true,
    answers: { 200: EmbedTokensRevoked },
  },
  'DELETE /v1/tenants/{id}': {
    auth: 'vendor',
    permission: 'tenants:write',
    allProjects: true,
    summary: 'Delete a tenant and revoke its keys',
    description:
      "Use this when a customer leaves. All of the tenant's keys and embed tokens stop working, " +
      'and its `external_id` can be used again.',
    dryRun: true,
    answers: { 200: DeletedTenant },
  },
});
