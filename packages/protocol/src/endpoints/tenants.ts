// Tenants: the vendor's customer organisations.
import { z } from 'zod';
import { endpoints } from '../endpoint.ts';
import { DeletedTenant, EmbedTokensRevoked, Tenant } from '../objects/tenant.ts';
import { list } from '../objects/wire.ts';
import { paging, search } from '../query.ts';
import { ExternalId, Meta, Name } from '../validators.ts';
import { LIST_LIMIT_DEFAULT, LIST_LIMIT_MAX } from '../wire/limits.ts';

export const tenantEndpoints = endpoints({
  'POST /v1/tenants': {
    auth: 'vendor',
    summary: 'Create a tenant',
    body: z.strictObject({
      external_id: ExternalId,
      name: Name.optional(),
      meta: Meta.optional(),
    }),
    answers: { 201: Tenant },
  },
  'GET /v1/tenants': {
    auth: 'vendor',
    summary: 'List tenants',
    query: z.strictObject({
      external_id: ExternalId.optional(),
      ...search('name or external id'),
      ...paging(LIST_LIMIT_MAX, LIST_LIMIT_DEFAULT),
    }),
    list: true,
    answers: { 200: list(Tenant) },
  },
  'GET /v1/tenants/{id}': {
    auth: 'vendor',
    summary: 'Read a tenant',
    answers: { 200: Tenant },
  },
  'PATCH /v1/tenants/{id}': {
    auth: 'vendor',
    summary: 'Change a tenant',
    description: '`meta` is replaced as a whole. `external_id` cannot be changed.',
    body: z.strictObject({
      name: Name.nullable().optional(),
      meta: Meta.optional(),
    }),
    bodyOptional: true,
    answers: { 200: Tenant },
  },
  'POST /v1/tenants/{id}/embed_tokens/revoke': {
    auth: 'vendor',
    summary: 'Revoke every embed token of a tenant',
    body: z.strictObject({}),
    bodyOptional: true,
    answers: { 200: EmbedTokensRevoked },
  },
  'DELETE /v1/tenants/{id}': {
    auth: 'vendor',
    summary: 'Delete a tenant and revoke its keys',
    answers: { 200: DeletedTenant },
  },
});
