// Usage and billing.
import type { Answer } from '@keyrail/client';
import { type Command, type Group, listCommand, type Option } from '../command.ts';
import { envOf, envOption, projectOption, tenantOption } from '../input/options.ts';
import { projectIdOf, tenantIdOf } from '../input/resolve-ids.ts';
import type { Field } from '../output/fields.ts';
import { placeReferences } from '../output/names.ts';

const monthsOption: Option = { flags: '--months <n>', about: 'number of months, 1 to 24' };

/** The API represents a month as its first day. */
const monthOf = ({ month }: { month: string }): string => month.slice(0, '2026-11'.length);

type Interval = Answer<'GET /v1/usage/overview'>['data'][number];

const deniedIn = ({ denials }: Interval): number =>
  denials.reduce((sum, { requests }) => sum + requests, 0);

const overviewFields: readonly Field<Interval>[] = [
  { title: 'from', of: ({ start }) => start.slice(0, 16).replace('T', ' ') },
  { title: 'requests', of: (one) => one.requests },
  { title: 'errors', of: (one) => one.errors },
  { title: 'denied', of: deniedIn },
  { title: 'p50 ms', of: ({ latency_ms: latency }) => latency?.p50 ?? null },
  { title: 'p90 ms', of: ({ latency_ms: latency }) => latency?.p90 ?? null, drop: 1 },
  { title: 'p99 ms', of: ({ latency_ms: latency }) => latency?.p99 ?? null },
];

const intervals = ['hour', 'day'] as const;

const overview: Command = {
  name: 'overview',
  summary: 'show requests, denials and latency by hour or day',
  options: [
    {
      flags: '--interval <interval>',
      about: 'interval covered by each row (default: hour)',
      choices: intervals,
    },
    { flags: '--count <n>', about: 'number of rows, at most 168 hours or 35 days (default: 24)' },
    projectOption,
    envOption,
  ],
  examples: [
    'keyrail usage overview --env live',
    'keyrail usage overview --interval day --count 35 --project payments --json',
  ],
  notes: 'Times are in UTC. Denial reasons are included in the --json output.',
  run: async ({ client, output }, given) => {
    const project = given.maybe('project');
    const answer = await client().call('GET /v1/usage/overview', {
      query: {
        interval: given.maybeOneOf('interval', intervals),
        count: given.number('count'),
        project_id: project === undefined ? undefined : await projectIdOf(client(), project),
        env: envOf(given),
      },
    });
    output.table(answer, answer.data, overviewFields);
  },
};

export const usage: Group = {
  name: 'usage',
  summary: 'traffic by month, day and hour',
  commands: [
    listCommand({
      name: 'billing',
      summary: 'count billable tenants by month',
      options: [monthsOption],
      examples: ['keyrail usage billing --months 12'],
      pageMax: 1000,
      pages: (client, given, page) =>
        client.pages('GET /v1/usage/billing', {
          ...page,
          query: { ...page.query, months: given.number('months') },
        }),
      fields: [
        { title: 'month', of: monthOf },
        { title: 'active tenants', of: (one) => one.active_tenants },
      ],
      empty: 'No billable traffic.',
    }),
    listCommand({
      name: 'tenants',
      summary: 'list tenant activity by month, project and environment',
      options: [monthsOption, envOption, tenantOption, projectOption],
      examples: [
        'keyrail usage tenants --months 3 --env live --json',
        'keyrail usage tenants --months 12 --tenant acme',
      ],
      pageMax: 1000,
      pages: async (client, given, page) => {
        const tenant = given.maybe('tenant');
        const project = given.maybe('project');
        return client.pages('GET /v1/usage/tenants', {
          ...page,
          query: {
            ...page.query,
            months: given.number('months'),
            env: envOf(given),
            tenant_id: tenant === undefined ? undefined : await tenantIdOf(client, tenant),
            project_id: project === undefined ? undefined : await projectIdOf(client, project),
          },
        });
      },
      fields: [
        { title: 'month', of: monthOf },
        { title: 'tenant', of: (one, { nameOf }) => nameOf(one.tenant_id), shrink: true },
        { title: 'project', of: (one, { nameOf }) => nameOf(one.project_id), drop: 2 },
        { title: 'env', of: (one) => one.env },
        { title: 'requests', of: (one) => one.request_count },
        { title: 'last seen', of: (one, format) => format.time(one.last_seen_at), drop: 1 },
      ],
      references: placeReferences,
      empty: 'No traffic.',
    }),
    overview,
  ],
};
