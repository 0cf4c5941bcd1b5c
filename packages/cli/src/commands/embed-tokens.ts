// Creates embed tokens, for trying out what a tenant's embedded page can do.
import { type Answer, KeyrailError } from '@keyrail/client';
import { type Group, secretCommand } from '../command.ts';
import { type Failure, refused } from '../failures.ts';
import { placeOf, placeOptions } from '../input/options.ts';
import type { Field } from '../output/fields.ts';

type EmbedToken = Answer<'POST /v1/embed_tokens'>;

const fields: readonly Field<EmbedToken>[] = [
  { title: 'id', of: (token) => token.jti },
  { title: 'tenant', of: (token) => token.tenant_external_id },
  { title: 'project', of: (token) => token.project_id },
  { title: 'env', of: (token) => token.env },
  { title: 'scopes', of: (token) => token.scopes.join(' ') },
  { title: 'origins', of: (token) => token.audience.join(' ') },
  { title: 'expires', of: (token, format) => format.time(token.expires_at) },
];

const create = secretCommand({
  name: 'create',
  summary: 'create an embed token',
  options: [
    ...placeOptions,
    {
      flags: '--scope <scope>',
      about: 'keys:read, keys:write or key_scope:<scope>; repeatable',
      repeat: true,
    },
    { flags: '--origin <origin>', about: 'origin of the page; repeatable', repeat: true },
  ],
  examples: [
    'keyrail embed-tokens create --project payments --tenant acme --env live',
    'keyrail embed-tokens create --project payments --tenant acme --env test --scope keys:write',
  ],
  notes: `The token is valid for 5 minutes on the workspace's registered origins. Without
--scope it can only read. Requires a secret key; sessions are rejected.`,
  request: async (client, given) => {
    const body = {
      ...(await placeOf(client, given)),
      scopes: given.list('scope'),
      origins: given.list('origin'),
    };
    return client.call('POST /v1/embed_tokens', { body }).catch((error: unknown) => {
      throw isAboutOrigins(error) ? unregistered() : error;
    });
  },
  fields,
  secret: ({ token }) => token,
  what: 'embed token',
});

const isAboutOrigins = (error: unknown): boolean =>
  error instanceof KeyrailError &&
  error.details.some(({ path }) => path === 'origins' || path.startsWith('origins.'));

const unregistered = (): Failure =>
  refused(
    'Embed tokens only work on origins registered in the workspace.',
    "Register your pages' origins: keyrail workspace update --embed-origin https://…",
  );

export const embedTokens: Group = {
  name: 'embed-tokens',
  summary: 'tokens that let customers manage their keys in a browser',
  commands: [create],
};
