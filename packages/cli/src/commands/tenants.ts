// Tenants: the vendor's customers.
import type { Answer } from '@keyrail/client';
import {
  changeCommand,
  confirmedCommand,
  foreseeable,
  type Group,
  listCommand,
  requireChange,
  showCommand,
} from '../command.ts';
import {
  metaOption,
  nameOption,
  newNameOf,
  newNameOption,
  searchOption,
} from '../input/options.ts';
import { tenantIdOf } from '../input/resolve-ids.ts';
import {
  createdField,
  type Field,
  idField,
  metaField,
  nameField,
  updatedField,
} from '../output/fields.ts';

type Tenant = Answer<'GET /v1/tenants/{id}'>;

const fields: readonly Field<Tenant>[] = [
  idField,
  { title: 'external id', of: (tenant) => tenant.external_id, shrink: true },
  nameField,
  metaField,
  { title: 'embed epoch', of: (tenant) => tenant.embed_epoch, only: 'record' },
  createdField,
  updatedField,
];

const tenantArg = {
  name: 'tenant',
  about: 'tenant, by ID or external ID (ext:… if the external ID looks like an ID)',
} as const;

export const tenants: Group = {
  name: 'tenants',
  summary: 'tenants, which are your customers',
  commands: [
    listCommand({
      summary: 'list tenants',
      options: [searchOption('name, external ID or ID')],
      examples: ['keyrail tenants list --all'],
      pageMax: 1000,
      pages: (client, given, page) =>
        client.pages('GET /v1/tenants', {
          ...page,
          query: { ...page.query, q: given.maybe('search') },
        }),
      fields,
      empty: 'No tenants.',
    }),
    showCommand({
      name: 'get',
      summary: 'show a tenant',
      args: [tenantArg],
      examples: ['keyrail tenants get acme', 'keyrail tenants get ext:6f0e…'],
      request: async (client, given) => {
        const id = await tenantIdOf(client, given.text('tenant'));
        return client.call('GET /v1/tenants/{id}', { params: { id } });
      },
      fields,
    }),
    changeCommand({
      name: 'create',
      summary: 'create a tenant',
      options: [
        { flags: '--external-id <id>', about: 'your own ID for this customer', required: true },
        nameOption,
        metaOption,
      ],
      examples: ['keyrail tenants create --external-id acme --name "Acme Inc."'],
      request: (client, given) =>
        client.call('POST /v1/tenants', {
          body: {
            external_id: given.text('externalId'),
            name: given.maybe('name'),
            meta: given.object('meta'),
          },
        }),
      fields,
    }),
    changeCommand({
      name: 'update',
      summary: 'change a tenant',
      args: [tenantArg],
      options: [newNameOption, metaOption],
      examples: [`keyrail tenants update acme --meta '{"plan":"gold"}'`],
      request: async (client, given) => {
        const body = requireChange({ name: newNameOf(given), meta: given.object('meta') });
        const id = await tenantIdOf(client, given.text('tenant'));
        return client.call('PATCH /v1/tenants/{id}', { params: { id }, body });
      },
      fields,
    }),
    confirmedCommand({
      name: 'delete',
      summary: 'delete a tenant and revoke its keys',
      args: [tenantArg],
      examples: ['keyrail tenants delete acme'],
      question: (given) => `Delete tenant ${given.text('tenant')} and revoke its keys?`,
      ...foreseeable((client) => client.tenants.delete)(async (client, given) => [
        await tenantIdOf(client, given.text('tenant')),
      ]),
      message: (gone) => `Deleted tenant ${gone.id}; keys revoked: ${gone.revoked_keys}.`,
    }),
    confirmedCommand({
      name: 'revoke-embed-tokens',
      summary: 'revoke all embed tokens of a tenant',
      args: [tenantArg],
      examples: ['keyrail tenants revoke-embed-tokens acme --yes'],
      question: (given) => `Revoke all embed tokens of tenant ${given.text('tenant')}?`,
      request: async (client, given) => {
        const id = await tenantIdOf(client, given.text('tenant'));
        return client.call('POST /v1/tenants/{id}/embed_tokens/revoke', { params: { id } });
      },
      message: (tenant) =>
        `Revoked all embed tokens for tenant ${tenant.id}; epoch ${tenant.embed_epoch}.`,
    }),
  ],
};
