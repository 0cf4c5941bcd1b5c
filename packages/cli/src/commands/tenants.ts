// Tenants: the vendor's customer organisations.
import type { Answer } from '@keyrail/client/types.ts';
import { changing, ending, type Group, listing, showing, someOf } from '../command.ts';
import { createdFact, type Fact, idFact, metaFact, nameFact, updatedFact } from '../facts.ts';
import { tenantIdOf } from '../names.ts';
import { metaOption, nameOption, newNameOf, newNameOption } from '../options.ts';

type Tenant = Answer<'GET /v1/tenants/{id}'>;

const facts: readonly Fact<Tenant>[] = [
  idFact,
  { title: 'external id', of: (tenant) => tenant.external_id, shrink: true },
  nameFact,
  metaFact,
  { title: 'embed epoch', of: (tenant) => tenant.embed_epoch, only: 'record' },
  createdFact,
  updatedFact,
];

const tenantArg = {
  name: 'tenant',
  about: 'tenant, by id or external id (ext:… where it looks like an id)',
} as const;

export const tenants: Group = {
  name: 'tenants',
  summary: 'tenants, your customer organisations',
  commands: [
    listing({
      summary: 'list tenants',
      examples: ['keyrail tenants list --all'],
      pageMax: 1000,
      walk: (client, _, page) => client.pages('GET /v1/tenants', page),
      facts,
      empty: 'No tenants.',
    }),
    showing({
      name: 'get',
      summary: 'show a tenant',
      args: [tenantArg],
      examples: ['keyrail tenants get acme', 'keyrail tenants get ext:6f0e…'],
      ask: async (client, given) => {
        const id = await tenantIdOf(client, given.text('tenant'));
        return client.call('GET /v1/tenants/{id}', { params: { id } });
      },
      facts,
    }),
    changing({
      name: 'create',
      summary: 'create a tenant',
      options: [
        { flags: '--external-id <id>', about: 'what you call this customer', required: true },
        nameOption,
        metaOption,
      ],
      examples: ['keyrail tenants create --external-id acme --name "Acme Inc."'],
      ask: (client, given) =>
        client.call('POST /v1/tenants', {
          body: {
            external_id: given.text('externalId'),
            name: given.maybe('name'),
            meta: given.object('meta'),
          },
        }),
      facts,
    }),
    changing({
      name: 'update',
      summary: 'change a tenant',
      args: [tenantArg],
      options: [newNameOption, metaOption],
      examples: [`keyrail tenants update acme --meta '{"plan":"gold"}'`],
      ask: async (client, given) => {
        const body = someOf({ name: newNameOf(given), meta: given.object('meta') });
        const id = await tenantIdOf(client, given.text('tenant'));
        return client.call('PATCH /v1/tenants/{id}', { params: { id }, body });
      },
      facts,
    }),
    ending({
      name: 'delete',
      summary: 'delete a tenant and revoke its keys',
      args: [tenantArg],
      examples: ['keyrail tenants delete acme'],
      question: (given) => `Delete the tenant ${given.text('tenant')} and revoke its keys?`,
      ask: async (client, given) => {
        const id = await tenantIdOf(client, given.text('tenant'));
        return client.call('DELETE /v1/tenants/{id}', { params: { id } });
      },
      says: (gone) => `Deleted tenant ${gone.id}; keys revoked: ${gone.revoked_keys}.`,
    }),
    ending({
      name: 'revoke-embed-tokens',
      summary: 'end every embed token of a tenant',
      args: [tenantArg],
      examples: ['keyrail tenants revoke-embed-tokens acme --yes'],
      question: (given) => `End every embed token of the tenant ${given.text('tenant')}?`,
      ask: async (client, given) => {
        const id = await tenantIdOf(client, given.text('tenant'));
        return client.call('POST /v1/tenants/{id}/embed_tokens/revoke', { params: { id } });
      },
      says: (tenant) => `Ended the embed tokens of ${tenant.id}; epoch ${tenant.embed_epoch}.`,
    }),
  ],
};
