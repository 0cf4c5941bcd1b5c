// Secret keys, with which the vendor's own backend calls the control plane.
import type { Answer } from '@keyrail/client/types.ts';
import { ending, type Group, listing, minting, showing } from '../command.ts';
import { credentialHead, credentialTail, overlapText } from '../credential-facts.ts';
import type { Fact } from '../facts.ts';
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
} from '../options.ts';

type SecretKey = Answer<'GET /v1/secret_keys/{id}'>;

const facts: readonly Fact<SecretKey>[] = [...credentialHead, ...credentialTail];
const minted = { facts, secret: ({ key }: { key: string }) => key, what: 'secret key' };

export const secretKeys: Group = {
  name: 'secret-keys',
  summary: 'secret keys, which your own backend holds',
  commands: [
    listing({
      summary: 'list secret keys, newest first, revoked ones too',
      examples: ['keyrail secret-keys list'],
      pageMax: 1000,
      walk: (client, _, page) => client.pages('GET /v1/secret_keys', page),
      facts,
      empty: 'No secret keys.',
    }),
    showing({
      name: 'get',
      summary: 'show a secret key',
      args: [idArg],
      examples: ['keyrail secret-keys get 01890c5e-…'],
      ask: (client, given) =>
        client.call('GET /v1/secret_keys/{id}', { params: { id: given.id('id') } }),
      facts,
    }),
    minting({
      name: 'create',
      summary: 'create a secret key',
      options: [requiredEnvOption, nameOption, expiresOption, metaOption],
      examples: [
        'keyrail secret-keys create --env live --name backend',
        'keyrail secret-keys create --env test --expires 90d --quiet > key.txt',
      ],
      ask: (client, given, { now }) =>
        client.call('POST /v1/secret_keys', {
          body: {
            env: requiredEnvOf(given),
            name: given.maybe('name'),
            expires_at: expiryOf(given, now()),
            meta: given.object('meta'),
          },
        }),
      ...minted,
    }),
    minting({
      name: 'rotate',
      summary: 'replace a secret key without an outage',
      args: [idArg],
      options: [overlapOption],
      examples: ['keyrail secret-keys rotate 01890c5e-… --overlap 1h'],
      ask: (client, given) =>
        client.call('POST /v1/secret_keys/{id}/rotate', {
          params: { id: given.id('id') },
          body: overlapOf(given),
        }),
      ...minted,
      aside: overlapText,
    }),
    ending({
      name: 'revoke',
      summary: 'revoke a secret key for good',
      args: [idArg],
      options: [reasonOption],
      examples: ['keyrail secret-keys revoke 01890c5e-… --reason "left the team"'],
      question: (given) => `Revoke the secret key ${given.id('id')}?`,
      ask: (client, given) =>
        client.call('POST /v1/secret_keys/{id}/revoke', {
          params: { id: given.id('id') },
          body: { reason: given.maybe('reason') },
        }),
      says: (key) => `Revoked ${key.display_prefix}.`,
    }),
  ],
};
