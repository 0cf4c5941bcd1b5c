// Secret keys, which the vendor's services use to call the API.
import type { Answer, Client } from '@keyrail/client';
import { type Permission, permissions, profileNames } from '@keyrail/protocol/wire/permissions.ts';
import {
  type Command,
  changeCommand,
  foreseeable,
  type Group,
  listCommand,
  type Option,
  requireChange,
  secretCommand,
  showCommand,
} from '../command.ts';
import { usage } from '../failures.ts';
import type { Given } from '../input/given.ts';
import {
  expiresOption,
  expiryOf,
  idArg,
  metaOption,
  nameOption,
  newNameOf,
  newNameOption,
  overlapOf,
  overlapOption,
  reasonOption,
  requiredEnvOf,
  requiredEnvOption,
} from '../input/options.ts';
import { projectIdOf } from '../input/resolve-ids.ts';
import { credentialHead, credentialTail, overlapText } from '../output/credential-fields.ts';
import type { Field } from '../output/fields.ts';
import { QUICKLY, revokedAtOf, revokedText } from './revoke-key.ts';

type SecretKey = Answer<'GET /v1/secret_keys/{id}'>;

const fields: readonly Field<SecretKey>[] = [
  ...credentialHead,
  { title: 'permissions', of: permissionsText, shrink: true },
  {
    title: 'projects',
    of: ({ project_ids: ids }) => ids?.join(' ') ?? null,
    only: 'record',
    ifAny: true,
  },
  {
    title: 'networks',
    of: ({ networks }) => networks?.join(' ') ?? null,
    only: 'record',
    ifAny: true,
  },
  ...credentialTail,
];

function permissionsText({ permissions: held, profile }: SecretKey): string {
  if (held === null) return 'everything its role allows';
  return profile ?? held.join(' ');
}

/** Options that limit what a secret key can do. */
const limitOptions = [
  { flags: '--permission <name>', about: 'only this permission, repeatable', repeat: true },
  { flags: '--project <project>', about: 'only this project, repeatable', repeat: true },
  { flags: '--network <cidr>', about: 'only from this network, repeatable', repeat: true },
] as const satisfies Option[];

async function limitsOf(client: Client, given: Given) {
  const projects = given.list('project');
  return {
    permissions: given.list('permission')?.map(permissionIn),
    project_ids: projects && (await Promise.all(projects.map((one) => projectIdOf(client, one)))),
    networks: given.list('network'),
  };
}

function permissionIn(text: string): Permission {
  const known = permissions.find((name) => name === text);
  if (known) return known;
  throw usage(`"${text}" is not a permission. The permissions are: ${permissions.join(', ')}.`);
}
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

const secretKeyUsage: Command = {
  name: 'usage',
  summary: 'show the permissions a secret key has used in the last 30 days',
  args: [idArg],
  examples: ['keyrail secret-keys usage 01890c5e-…'],
  run: async ({ client, output }, given) => {
    const usageOf = await client().call('GET /v1/secret_keys/{id}/usage', {
      params: { id: given.id('id') },
    });
    output.table(usageOf, usageOf.permissions, [
      { title: 'permission', of: ({ permission }) => permission },
      { title: 'last used', of: (one, format) => format.time(one.last_used_at) },
    ]);
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
    showCommand({
      name: 'current',
      summary: 'show the secret key this command uses',
      examples: ['KEYRAIL_TOKEN=krsk_… keyrail secret-keys current'],
      request: (client) => client.call('GET /v1/secret_keys/current'),
      fields,
    }),
    secretCommand({
      name: 'create',
      summary: 'create a secret key',
      options: [
        requiredEnvOption,
        {
          flags: '--profile <profile>',
          about: 'only the permissions in this profile',
          choices: profileNames,
        },
        ...limitOptions,
        nameOption,
        expiresOption,
        metaOption,
      ],
      examples: [
        'keyrail secret-keys create --env live --profile node --name checkout',
        'keyrail secret-keys create --env live --profile backend --network 203.0.113.0/24',
        'keyrail secret-keys create --env test --profile read_only --expires 90d --quiet > key.txt',
      ],
      notes: `Without --profile and --permission, only your own role limits the key. --profile node
is for the SDK, Edge and relays, backend for managing your customers' keys, embed
for creating embed tokens, and read_only for audits and exports. To use another
login, set KEYRAIL_PROFILE: here, --profile is the new key's.`,
      request: async (client, given, { now }) =>
        client.call('POST /v1/secret_keys', {
          body: {
            env: requiredEnvOf(given),
            name: given.maybe('name'),
            expires_at: expiryOf(given, now()),
            meta: given.object('meta'),
            profile: given.maybeOneOf('profile', profileNames),
            ...(await limitsOf(client, given)),
          },
        }),
      ...created,
    }),
    changeCommand({
      name: 'narrow',
      summary: 'rename a secret key or narrow what it can do',
      args: [idArg],
      options: [...limitOptions, newNameOption, expiresOption, metaOption],
      examples: [
        'keyrail secret-keys narrow 01890c5e-… --permission policy:read --permission limits:write',
        'keyrail secret-keys narrow 01890c5e-… --network 203.0.113.0/24 --expires 30d',
      ],
      notes: 'Each list you pass replaces the current one and must be a subset of it.',
      ...foreseeable((client) => client.secretKeys.update)(async (client, given, { now }) => [
        given.id('id'),
        {
          body: requireChange({
            name: newNameOf(given),
            expires_at: expiryOf(given, now()),
            meta: given.object('meta'),
            ...(await limitsOf(client, given)),
          }),
        },
      ]),
      fields,
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
    secretKeyUsage,
  ],
};
