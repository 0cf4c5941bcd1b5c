// Figures for billing and for knowing one's customers.
import { type Group, listing, type Option } from '../command.ts';
import { envOf, envOption } from '../options.ts';

const monthsOption: Option = { flags: '--months <n>', about: 'how many months, 1 to 24' };

export const usage: Group = {
  name: 'usage',
  summary: 'traffic, by month',
  commands: [
    listing({
      name: 'billing',
      summary: 'count billable tenants by month',
      options: [monthsOption],
      examples: ['keyrail usage billing --months 12'],
      pageMax: 1000,
      walk: (client, given, page) =>
        client.pages('GET /v1/usage/billing', {
          ...page,
          query: { ...page.query, months: given.number('months') },
        }),
      facts: [
        { title: 'month', of: (one) => one.month },
        { title: 'active tenants', of: (one) => one.active_tenants },
      ],
      empty: 'No billable traffic.',
    }),
    listing({
      name: 'tenants',
      summary: 'list tenant activity by month, project and environment',
      options: [monthsOption, envOption],
      examples: ['keyrail usage tenants --months 3 --env live --json'],
      pageMax: 1000,
      walk: (client, given, page) =>
        client.pages('GET /v1/usage/tenants', {
          ...page,
          query: { ...page.query, months: given.number('months'), env: envOf(given) },
        }),
      facts: [
        { title: 'month', of: (one) => one.month.slice(0, 7) },
        { title: 'tenant', of: (one) => one.tenant_id },
        { title: 'project', of: (one) => one.project_id, drop: 2 },
        { title: 'env', of: (one) => one.env },
        { title: 'requests', of: (one) => one.request_count },
        { title: 'last seen', of: (one, look) => look.time(one.last_seen_at), drop: 1 },
      ],
      empty: 'No traffic.',
    }),
  ],
};
