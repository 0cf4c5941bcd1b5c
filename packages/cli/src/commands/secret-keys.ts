// Secret keys, which the vendor's backend uses to call the API.
import type { Answer } from '@keyrail/client';
import {
  type Command,
  foreseeable,
  type Group,
  listCommand,
  secretCommand,
  showCommand,
} from '../command.ts';
import {
  expiresOption,
  expiryOf,
  idArg,
  metaOption,
  nameOption,
  overlapOf,
  overlapOption,
  reasonOption,
  requiredEnvOf,
  requiredEnvOption,
} from '../input/options.ts';
import { credentialHead, credentialTail, overlapText } from '../output/credential-fields.ts';
import type { Field } from '../output/fields.ts';
import { QUICKLY, revokedAtOf, revokedText } from './revoke-key.ts';

type SecretKey = Answer<'GET /v1/secret_keys/{id}'>;

const fields: readonly Field<SecretKey>[] = [...credentialHead, ...credentialTail];
const created = {
  fields,
  secret: ({ key }: { key?: string | undefined }) => key,
  replace: ({ id }: { id: string }) => `Replace it with: keyrail secret-keys rotate ${id}`,
  what: 'secret key',
};

const { request, impact } = foreseeable((client) => client.secretKeys.revoke)(async (_, given) => [
  given.id('id'),
  { body: { reason: given.maybe('reason') } },
]);

const secretKeyRevoke: Command = {
  name: 'revoke',
  summary: 'revoke a secret key permanently',
  args: [idArg],
  options: [reasonOption],
  examples: ['keyrail secret-keys revoke 01890c5e-… --reason "left the team"'],
  changes: true,
  question: (given) => `Revoke the secret key ${given.id('id')}?`,
  impact,
  run: async (context, given) => {
    const client = context.client();
    const earlier = await revokedAtOf(context, () =>
      client.secretKeys.get(given.id('id'), QUICKLY),
    );
    const key = await request(client, given, context);
    context.output.report(key, revokedText(key.display_prefix, earlier));
  },
};

export const secretKeys: Group = {
  name: 'secret-keys',
  summary: 'secret keys, used by your own backend',
  commands: [
    listCommand({
      summary: 'list secret keys, newest first, including revoked ones',
      examples: ['keyrail secret-keys list'],
      pageMax: 1000,
      pages: (client, _, page) => client.pages('GET /v1/secret_keys', page),
      fields,
      empty: 'No secret keys.',
    }),
    showCommand({
      name: 'get',
      summary: 'show a secret key',
      args: [idArg],
      examples: ['keyrail secret-keys get 01890c5e-…'],
      request: (client, given) =>
        client.call('GET /v1/secret_keys/{id}', { params: { id: given.id('id') } }),
      fields,
    }),
    secretCommand({
      name: 'create',
      summary: 'create a secret key',
      options: [requiredEnvOption, nameOption, expiresOption, metaOption],
      examples: [
        'keyrail secret-keys create --env live --name backend',
        'keyrail secret-keys create --env test --expires 90d --quiet > key.txt',
      ],
      request: (client, given, { now }) =>
        client.call('POST /v1/secret_keys', {
          body: {
            env: requiredEnvOf(given),
            name: given.maybe('name'),
            expires_at: expiryOf(given, now()),
            meta: given.object('meta'),
          },
        }),
      ...created,
    }),
    secretCommand({
      name: 'rotate',
      summary: 'replace a secret key without downtime',
      args: [idArg],
      options: [overlapOption],
      examples: ['keyrail secret-keys rotate 01890c5e-… --overlap 1h'],
      ...foreseeable((client) => client.secretKeys.rotate)(async (_, given) => [
        given.id('id'),
        { body: overlapOf(given) },
      ]),
      ...created,
      note: overlapText,
    }),
    secretKeyRevoke,
  ],
};
