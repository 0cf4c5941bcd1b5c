// API keys, which a vendor gives to its customers.
import type { Client } from '@keyrail/client/client.ts';
import type { Answer } from '@keyrail/client/types.ts';
import {
  type Command,
  changing,
  ending,
  type Group,
  listing,
  minting,
  showing,
  someOf,
} from '../command.ts';
import type { Context } from '../context.ts';
import { overlapText } from '../credential-facts.ts';
import { keyFacts as facts, keyLimitsOf as limitsOf } from '../key-facts.ts';
import { projectIdOf, tenantIdOf } from '../names.ts';
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
} from '../options.ts';
import { rateLimitOption } from '../rate-limits.ts';

/** The server bounds its own waiting; this only has to be longer. */
const WAIT_MS_MAX = 120_000;
const KEYS_PAGE_MAX = 200;

const scopeOption = {
  flags: '--scope <scope>',
  about: 'scope of the key; may be repeated',
  repeat: true,
} as const;
const unlimitedOption = { flags: '--unlimited', about: 'no rate limits on this key' } as const;

const keyList = listing({
  summary: 'list API keys, newest first',
  options: [
    projectOption,
    tenantOption,
    envOption,
    { flags: '--revoked', about: 'revoked ones too' },
  ],
  examples: [
    'keyrail keys list --project payments --env live',
    'keyrail keys list --tenant acme --revoked --all --json',
  ],
  pageMax: KEYS_PAGE_MAX,
  walk: async (client, given, page) =>
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
  facts,
  empty: 'No keys.',
});

const idBy = async (
  find: (client: Client, text: string) => Promise<string>,
  client: Client,
  text: string | undefined,
): Promise<string | undefined> => (text === undefined ? undefined : find(client, text));

const keyCreate = minting({
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
  notes: 'Without --rate-limit the key follows the default of its project.',
  ask: async (client, given, { now }) =>
    client.call('POST /v1/keys', {
      body: {
        ...(await placeOf(client, given)),
        name: given.maybe('name'),
        scopes: given.list('scope'),
        rate_limits: limitsOf(given) ?? undefined,
        expires_at: expiryOf(given, now()),
        meta: given.object('meta'),
      },
    }),
  facts,
  secret: ({ key }) => key,
  what: 'key',
});

const keyUpdate = changing({
  name: 'update',
  summary: 'change an API key',
  args: [idArg],
  options: [
    newNameOption,
    scopeOption,
    { flags: '--no-scopes', about: 'take every scope away' },
    rateLimitOption,
    unlimitedOption,
    { flags: '--project-limits', about: 'follow the default of the project again' },
    { ...expiresOption, about: `${expiresOption.about}, or never` },
    metaOption,
  ],
  examples: [
    'keyrail keys update 01890c5e-… --name "Backend, Berlin"',
    'keyrail keys update 01890c5e-… --rate-limit burst=100/10s --rate-limit day=50000/1d:fixed',
    'keyrail keys update 01890c5e-… --expires never --project-limits',
  ],
  ask: (client, given, { now }) =>
    client.call('PATCH /v1/keys/{id}', {
      params: { id: given.id('id') },
      body: someOf({
        name: newNameOf(given),
        scopes: given.without('scopes') ? [] : given.list('scope'),
        rate_limits: limitsOf(given),
        expires_at: newExpiryOf(given, now()),
        meta: given.object('meta'),
      }),
    }),
  facts,
});

const keyRevoke: Command = ending({
  name: 'revoke',
  summary: 'revoke an API key for good',
  args: [idArg],
  options: [
    reasonOption,
    { flags: '--wait', about: 'until every node that verifies keys knows, or time is up' },
  ],
  examples: [
    'keyrail keys revoke 01890c5e-… --reason "leaked in a log" --wait',
    'keyrail keys revoke 01890c5e-… --yes --json',
  ],
  question: (given) => `Revoke the API key ${given.id('id')}?`,
  ask: (client, given) =>
    client.call('POST /v1/keys/{id}/revoke', {
      params: { id: given.id('id') },
      query: { wait: given.flag('wait') },
      body: { reason: given.maybe('reason') },
      ...(given.flag('wait') && { timeoutMs: WAIT_MS_MAX }),
    }),
  says: (key, context) => `Revoked ${key.display_prefix}.${reachText(key, context)}`,
});

function reachText(
  { propagation }: Answer<'POST /v1/keys/{id}/revoke'>,
  { output }: Context,
): string {
  if (!propagation) return '';
  const { acked_nodes: acked, total_nodes: total, complete, nodes } = propagation;
  if (!complete) {
    const missing = nodes.filter((node) => !node.acked).map(({ node_id }) => node_id);
    output.warn(`Not every node has acknowledged yet: ${missing.join(', ')}`);
  }
  if (propagation.silent_nodes > 0) {
    const silent = `Silent nodes that were seen within a day: ${propagation.silent_nodes}.`;
    output.warn(`${silent} Any that still runs goes on admitting the key until it is heard.`);
  }
  return total === 0 ? ' No node was listening.' : ` ${acked} of ${total} nodes know.`;
}

const keyUsage: Command = {
  name: 'usage',
  summary: 'show the daily traffic of an API key',
  args: [idArg],
  options: [{ flags: '--days <n>', about: 'how far back, 1 to 90 (30)' }],
  examples: ['keyrail keys usage 01890c5e-… --days 7'],
  run: async ({ client, output }, given) => {
    const usageOf = await client().call('GET /v1/keys/{id}/usage', {
      params: { id: given.id('id') },
      query: { days: given.number('days') },
    });
    output.sheet(usageOf, usageOf.data, [
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
    showing({
      name: 'get',
      summary: 'show an API key',
      args: [idArg],
      examples: ['keyrail keys get 01890c5e-…'],
      ask: (client, given) => client.call('GET /v1/keys/{id}', { params: { id: given.id('id') } }),
      facts,
    }),
    keyCreate,
    keyUpdate,
    minting({
      name: 'rotate',
      summary: 'replace an API key without an outage',
      args: [idArg],
      options: [overlapOption],
      examples: ['keyrail keys rotate 01890c5e-… --overlap 48h'],
      ask: (client, given) =>
        client.call('POST /v1/keys/{id}/rotate', {
          params: { id: given.id('id') },
          body: overlapOf(given),
        }),
      facts,
      secret: ({ key }) => key,
      what: 'key',
      aside: overlapText,
    }),
    keyRevoke,
    keyUsage,
  ],
};
