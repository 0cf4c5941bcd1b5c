// API keys, which vendors issue to their customers.
import type { Client } from '@keyrail/client';
import { keyStates } from '@keyrail/protocol/wire/key-states.ts';
import { KEYS_LIMIT_MAX } from '@keyrail/protocol/wire/limits.ts';
import {
  type Command,
  changeCommand,
  foreseeable,
  type Group,
  listCommand,
  requireChange,
  secretCommand,
  showCommand,
} from '../command.ts';
import { keyArg, keyIdOf, keySearchOf, withPrefix } from '../input/find-key.ts';
import {
  envOf,
  envOption,
  expiresOption,
  expiryOf,
  metaOption,
  nameOption,
  newExpiryOf,
  newNameOf,
  newNameOption,
  overlapOf,
  overlapOption,
  placeOf,
  placeOptions,
  projectOption,
  searchOption,
  tenantOption,
} from '../input/options.ts';
import { keyLimitsOf, rateLimitOption } from '../input/rate-limits.ts';
import { projectIdOf, tenantIdOf } from '../input/resolve-ids.ts';
import { keyFields as fields, overlapText } from '../output/credential-fields.ts';
import { placeReferences } from '../output/names.ts';
import { keyDisable, keyEnable } from './disable-key.ts';
import { keyExplain } from './explain-key.ts';
import { keyImport } from './import-keys.ts';
import { keyRevoke } from './revoke-key.ts';

const scopeOption = {
  flags: '--scope <scope>',
  about: 'scope of the key; repeatable',
  repeat: true,
} as const;
const unlimitedOption = { flags: '--unlimited', about: 'no rate limits on this key' } as const;

const keyList = listCommand({
  summary: 'list API keys, newest first',
  options: [
    projectOption,
    tenantOption,
    envOption,
    { flags: '--revoked', about: 'include revoked keys' },
    { flags: '--state <state>', about: 'only keys in this state', choices: keyStates },
    { flags: '--unused-days <n>', about: 'only keys unused for at least this many days, 1 to 365' },
    { flags: '--prefix <prefix>', about: 'only keys whose prefix starts with this text' },
    searchOption('name, prefix, ID or tenant'),
  ],
  examples: [
    'keyrail keys list --prefix kr_live_3h',
    'keyrail keys list --project payments --env live',
    'keyrail keys list --tenant acme --revoked --all --json',
    'keyrail keys list --state expiring --env live',
    'keyrail keys list --unused-days 90 --all',
  ],
  pageMax: KEYS_LIMIT_MAX,
  pages: async (client, given, page) => {
    const pages = client.pages('GET /v1/keys', {
      ...page,
      query: {
        ...page.query,
        project_id: await idBy(projectIdOf, client, given.maybe('project')),
        tenant_id: await idBy(tenantIdOf, client, given.maybe('tenant')),
        env: envOf(given),
        include_revoked: given.flag('revoked'),
        state: given.maybeOneOf('state', keyStates),
        unused_days: given.number('unusedDays'),
        q: keySearchOf(given),
      },
    });
    const prefix = given.maybe('prefix');
    return prefix === undefined ? pages : withPrefix(pages, prefix);
  },
  fields,
  references: placeReferences,
  empty: 'No keys.',
});

const idBy = async (
  find: (client: Client, text: string) => Promise<string>,
  client: Client,
  text: string | undefined,
): Promise<string | undefined> => (text === undefined ? undefined : find(client, text));

const replaceText = ({ id }: { id: string }) => `Replace it with: keyrail keys rotate ${id}`;

const keyCreate = secretCommand({
  name: 'create',
  summary: 'create an API key',
  options: [
    ...placeOptions,
    nameOption,
    scopeOption,
    rateLimitOption,
    unlimitedOption,
    expiresOption,
    metaOption,
  ],
  examples: [
    'keyrail keys create --project payments --tenant acme --env live --name Backend',
    'keyrail keys create --project payments --tenant acme --env test --scope read --expires 30d',
    'keyrail keys create --project payments --tenant acme --env live --quiet > key.txt',
  ],
  notes: "Without --rate-limit, the key uses its project's default limits.",
  request: async (client, given, { now }) =>
    client.call('POST /v1/keys', {
      body: {
        ...(await placeOf(client, given)),
        name: given.maybe('name'),
        scopes: given.list('scope'),
        rate_limits: keyLimitsOf(given) ?? undefined,
        expires_at: expiryOf(given, now()),
        meta: given.object('meta'),
      },
    }),
  fields,
  secret: ({ key }) => key,
  what: 'key',
  replace: replaceText,
});

const keyUpdate = changeCommand({
  name: 'update',
  summary: 'change an API key',
  args: [keyArg],
  options: [
    newNameOption,
    scopeOption,
    { flags: '--no-scopes', about: 'remove all scopes' },
    rateLimitOption,
    unlimitedOption,
    { flags: '--project-limits', about: "go back to the project's default limits" },
    { ...expiresOption, about: `${expiresOption.about}, or never` },
    metaOption,
  ],
  examples: [
    'keyrail keys update 01890c5e-… --name "Backend, Berlin"',
    'keyrail keys update 01890c5e-… --rate-limit burst=100/10s --rate-limit day=50000/1d:fixed',
    'keyrail keys update 01890c5e-… --expires never --project-limits',
  ],
  ...foreseeable((client) => client.keys.update)(async (client, given, { now }) => {
    const body = requireChange({
      name: newNameOf(given),
      scopes: given.negated('scopes') ? [] : given.list('scope'),
      rate_limits: keyLimitsOf(given),
      expires_at: newExpiryOf(given, now()),
      meta: given.object('meta'),
    });
    return [await keyIdOf(client, given), { body }];
  }),
  fields,
});

const keyUsage: Command = {
  name: 'usage',
  summary: 'show the daily traffic of an API key',
  args: [keyArg],
  options: [{ flags: '--days <n>', about: 'number of days, 1 to 90 (default: 30)' }],
  examples: ['keyrail keys usage 01890c5e-… --days 7'],
  run: async ({ client, output }, given) => {
    const usageOf = await client().call('GET /v1/keys/{id}/usage', {
      params: { id: await keyIdOf(client(), given) },
      query: { days: given.number('days') },
    });
    output.table(usageOf, usageOf.data, [
      { title: 'day', of: (one) => one.day },
      { title: 'requests', of: (one) => one.requests },
      { title: 'errors', of: (one) => one.errors },
    ]);
  },
};

export const keys: Group = {
  name: 'keys',
  summary: 'API keys, which you issue to customers',
  commands: [
    keyList,
    showCommand({
      name: 'get',
      summary: 'show an API key',
      args: [keyArg],
      examples: ['keyrail keys get kr_live_3hArfb', 'keyrail keys get 01890c5e-…'],
      request: async (client, given) =>
        client.call('GET /v1/keys/{id}', { params: { id: await keyIdOf(client, given) } }),
      fields,
    }),
    keyCreate,
    keyImport,
    keyUpdate,
    secretCommand({
      name: 'rotate',
      summary: 'replace an API key without downtime',
      args: [keyArg],
      options: [overlapOption],
      examples: ['keyrail keys rotate 01890c5e-… --overlap 48h'],
      ...foreseeable((client) => client.keys.rotate)(async (client, given) => {
        const body = overlapOf(given);
        return [await keyIdOf(client, given), { body }];
      }),
      fields,
      secret: ({ key }) => key,
      what: 'key',
      replace: replaceText,
      note: overlapText,
    }),
    keyRevoke,
    keyDisable,
    keyEnable,
    keyExplain,
    keyUsage,
  ],
};
