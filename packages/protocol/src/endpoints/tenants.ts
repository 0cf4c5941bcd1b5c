// Tenants: the vendor's customer organisations.
import { z } from 'zod';
import { endpoints } from '../endpoint.ts';
import { DeletedTenant, EmbedTokensRevoked, Tenant } from '../objects/tenant.ts';
import { list } from '../objects/wire.ts';
import { Ids, paging, search } from '../query.ts';
import { ExternalId, Meta, Name } from '../validators.ts';
import { LIST_LIMIT_DEFAULT, LIST_LIMIT_MAX } from '../wire/limits.ts';

export const tenantEndpoints = endpoints({
  'POST /v1/tenants': {
    auth: 'vendor',
    summary: 'Create a tenant',
    description:
      'Create one for each of your customers, with your own id of the customer as ' +
      '`external_id`. Keys, usage and embed tokens belong to a tenant.',
    body: z.strictObject({
      external_id: ExternalId,
      name: Name.optional(),
      meta: Meta.optional(),
    }),
    refusals: {
      409: 'The external id is taken, or the `meta` of the workspace would exceed its maximum.',
    },
    answers: { 201: Tenant },
  },
  'GET /v1/tenants': {
    auth: 'vendor',
    summary: 'List tenants',
    description: 'Newest first. Use `external_id` to find the tenant of a customer by your own id.',
    query: z.strictObject({
      external_id: ExternalId.optional(),
      id: Ids.optional().meta({
        description: 'Only these, up to 100. Unknown ids are left out.',
      }),
      ...search('name or external id'),
      ...paging(LIST_LIMIT_MAX, LIST_LIMIT_DEFAULT),
    }),
    list: true,
    answers: { 200: list(Tenant) },
  },
  'GET /v1/tenants/{id}': {
    auth: 'vendor',
    summary: 'Read a tenant',
    description: 'Returns your `external_id` and `meta` with it. A deleted tenant is not found.',
    answers: { 200: Tenant },
  },
  'PATCH /v1/tenants/{id}': {
    auth: 'vendor',
    summary: 'Change a tenant',
    description:
      'Changes the fields that you send. `meta` is replaced as a whole. `external_id` cannot be ' +
      'changed.',
    body: z.strictObject({
      name: Name.nullable().optional(),
      meta: Meta.optional(),
    }),
    bodyOptional: true,
    refusals: { 409: 'The `meta` of the workspace would exceed its maximum.' },
    answers: { 200: Tenant },
  },
  'POST /v1/tenants/{id}/embed_tokens/revoke': {
    auth: 'vendor',
    summary: 'Revoke every embed token of a tenant',
    description:
      'Ends access from the pages of this customer, from the next request on. New tokens can be ' +
      'created at once; API keys are not affected.',
    body: z.strictObject({}),
    bodyOptional: true,
    answers: { 200: EmbedTokensRevoked },
  },
  'DELETE /v1/tenants/{id}': {
    auth: 'vendor',
    summary: 'Delete a tenant and revoke its keys',
    description:
      'Use it when a customer leaves. All keys and embed tokens of the tenant stop working, and ' +
      'its `external_id` can be used again.',
    dryRun: true,
    answers: { 200: DeletedTenant },
  },
});
