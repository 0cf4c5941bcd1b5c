// Embed tokens, for trying out what a customer's page will do.
import type { Answer } from '@keyrail/client/types.ts';
import { type Group, minting } from '../command.ts';
import type { Fact } from '../facts.ts';
import { placeOf, placeOptions } from '../options.ts';

type EmbedToken = Answer<'POST /v1/embed_tokens'>;

const facts: readonly Fact<EmbedToken>[] = [
  { title: 'id', of: (token) => token.jti },
  { title: 'tenant', of: (token) => token.tenant_external_id },
  { title: 'project', of: (token) => token.project_id },
  { title: 'env', of: (token) => token.env },
  { title: 'scopes', of: (token) => token.scopes.join(' ') },
  { title: 'origins', of: (token) => token.audience.join(' ') },
  { title: 'expires', of: (token, look) => look.time(token.expires_at) },
];

const create = minting({
  name: 'create',
  summary: 'mint an embed token',
  options: [
    ...placeOptions,
    {
      flags: '--scope <scope>',
      about: 'keys:read, keys:write or key_scope:<scope>; may be repeated',
      repeat: true,
    },
    { flags: '--origin <origin>', about: 'only for this page; may be repeated', repeat: true },
  ],
  examples: [
    'keyrail embed-tokens create --project payments --tenant acme --env live',
    'keyrail embed-tokens create --project payments --tenant acme --env test --scope keys:write',
  ],
  notes: `It works for five minutes, on the registered origins of the workspace, and without
--scope only reads. A secret key is needed: a session does not mint.`,
  ask: async (client, given) =>
    client.call('POST /v1/embed_tokens', {
      body: {
        ...(await placeOf(client, given)),
        scopes: given.list('scope'),
        origins: given.list('origin'),
      },
    }),
  facts,
  secret: ({ token }) => token,
  what: 'embed token',
});

export const embedTokens: Group = {
  name: 'embed-tokens',
  summary: 'tokens with which customers manage keys from a browser',
  commands: [create],
};
