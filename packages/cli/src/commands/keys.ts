// API keys, which a vendor gives to its customers.
import type { Answer, Client } from '@keyrail/client';
import { KEYS_LIMIT_MAX } from '@keyrail/protocol/wire/limits.ts';
import {
  type Command,
  changeCommand,
  confirmedCommand,
  type Group,
  listCommand,
  requireChange,
  secretCommand,
  showCommand,
} from '../command.ts';
import type { Context } from '../context.ts';
import {
  envOf,
  envOption,
  expiresOption,
  expiryOf,
  idArg,
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
  reasonOption,
  tenantOption,
} from '../input/options.ts';
import { keyLimitsOf, rateLimitOption } from '../input/rate-limits.ts';
import { projectIdOf, tenantIdOf } from '../input/resolve-ids.ts';
import { keyFields as fields, overlapText } from '../output/credential-fields.ts';

/** The server limits the wait itself; this limit only has to be longer. */
const WAIT_MS_MAX = 120_000;

const scopeOption = {
  flags: '--scope <scope>',
  about: 'scope of the key; may be repeated',
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
  ],
  examples: [
    'keyrail keys list --project payments --env live',
    'keyrail keys list --tenant acme --revoked --all --json',
  ],
  pageMax: KEYS_LIMIT_MAX,
  pages: async (client, given, page) =>
    client.pages('GET /v1/keys', {
      ...page,
      query: {
        ...page.query,
        project_id: await idBy(projectIdOf, client, given.maybe('project')),
        tenant_id: await idBy(tenantIdOf, client, given.maybe('tenant')),
        env: envOf(given),
        include_revoked: given.flag('revoked'),
      },
    }),
  fields,
  empty: 'No keys.',
});

const idBy = async (
  find: (client: Client, text: string) => Promise<string>,
  client: Client,
  text: string | undefined,
): Promise<string | undefined> => (text === undefined ? undefined : find(client, text));

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
  notes: 'Without --rate-limit the key uses the default limits of its project.',
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
});

const keyUpdate = changeCommand({
  name: 'update',
  summary: 'change an API key',
  args: [idArg],
  options: [
    newNameOption,
    scopeOption,
    { flags: '--no-scopes', about: 'remove all scopes' },
    rateLimitOption,
    unlimitedOption,
    { flags: '--project-limits', about: 'use the default limits of the project again' },
    { ...expiresOption, about: `${expiresOption.about}, or never` },
    metaOption,
  ],
  examples: [
    'keyrail keys update 01890c5e-… --name "Backend, Berlin"',
    'keyrail keys update 01890c5e-… --rate-limit burst=100/10s --rate-limit day=50000/1d:fixed',
    'keyrail keys update 01890c5e-… --expires never --project-limits',
  ],
  request: (client, given, { now }) =>
    client.call('PATCH /v1/keys/{id}', {
      params: { id: given.id('id') },
      body: requireChange({
        name: newNameOf(given),
        scopes: given.negated('scopes') ? [] : given.list('scope'),
        rate_limits: keyLimitsOf(given),
        expires_at: newExpiryOf(given, now()),
        meta: given.object('meta'),
      }),
    }),
  fields,
});

const keyRevoke: Command = confirmedCommand({
  name: 'revoke',
  summary: 'revoke an API key permanently',
  args: [idArg],
  options: [
    reasonOption,
    { flags: '--wait', about: 'wait until every verifying node has applied it, or time out' },
  ],
  examples: [
    'keyrail keys revoke 01890c5e-… --reason "leaked in a log" --wait',
    'keyrail keys revoke 01890c5e-… --yes --json',
  ],
  question: (given) => `Revoke the API key ${given.id('id')}?`,
  request: (client, given) =>
    client.call('POST /v1/keys/{id}/revoke', {
      params: { id: given.id('id') },
      query: { wait: given.flag('wait') },
      body: { reason: given.maybe('reason') },
      ...(given.flag('wait') && { timeoutMs: WAIT_MS_MAX }),
    }),
  message: (key, context) => `Revoked ${key.display_prefix}.${propagationText(key, context)}`,
});

function propagationText(
  { propagation }: Answer<'POST /v1/keys/{id}/revoke'>,
  { output }: Context,
): string {
  if (!propagation) return '';
  const { acked_nodes: acked, total_nodes: total, complete, nodes } = propagation;
  if (!complete) {
    const missing = nodes.filter((node) => !node.acked).map(({ node_id }) => node_id);
    output.warn(`These nodes have not acknowledged it yet: ${missing.join(', ')}`);
  }
  if (propagation.silent_nodes > 0) {
    output.warn(
      `Silent nodes that were seen within a day: ${propagation.silent_nodes}. A silent node that ` +
        'still runs admits the key until it reconnects.',
    );
  }
  return total === 0 ? ' No node is connected.' : ` ${acked} of ${total} nodes have applied it.`;
}

const keyUsage: Command = {
  name: 'usage',
  summary: 'show the daily traffic of an API key',
  args: [idArg],
  options: [{ flags: '--days <n>', about: 'number of days, 1 to 90 (30)' }],
  examples: ['keyrail keys usage 01890c5e-… --days 7'],
  run: async ({ client, output }, given) => {
    const usageOf = await client().call('GET /v1/keys/{id}/usage', {
      params: { id: given.id('id') },
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
  summary: 'API keys, which your customers hold',
  commands: [
    keyList,
    showCommand({
      name: 'get',
      summary: 'show an API key',
      args: [idArg],
      examples: ['keyrail keys get 01890c5e-…'],
      request: (client, given) =>
        client.call('GET /v1/keys/{id}', { params: { id: given.id('id') } }),
      fields,
    }),
    keyCreate,
    keyUpdate,
    secretCommand({
      name: 'rotate',
      summary: 'replace an API key without an outage',
      args: [idArg],
      options: [overlapOption],
      examples: ['keyrail keys rotate 01890c5e-… --overlap 48h'],
      request: (client, given) =>
        client.call('POST /v1/keys/{id}/rotate', {
          params: { id: given.id('id') },
          body: overlapOf(given),
        }),
      fields,
      secret: ({ key }) => key,
      what: 'key',
      note: overlapText,
    }),
    keyRevoke,
    keyUsage,
  ],
};
