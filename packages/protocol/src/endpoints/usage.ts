// Usage metrics, for billing and for seeing how active tenants are.
import { z } from 'zod';
import { endpoints } from '../endpoint.ts';
import {
  BillableTenantMonth,
  TenantActivityMonth,
  Usage,
  UsageOverview,
} from '../objects/usage.ts';
import { list } from '../objects/wire.ts';
import { Ids, paging, queryInteger } from '../query.ts';
import { Env, Uuid } from '../validators.ts';
import {
  BILLING_MONTHS_DEFAULT,
  IDS_MAX,
  KEYS_USAGE_DAYS_DEFAULT,
  KEYS_USAGE_DAYS_MAX,
  LIST_LIMIT_DEFAULT,
  LIST_LIMIT_MAX,
  OVERVIEW_DAYS_MAX,
  OVERVIEW_HOURS_DEFAULT,
  OVERVIEW_HOURS_MAX,
  TENANT_MONTHS_DEFAULT,
  USAGE_MONTHS_MAX,
  USAGE_MONTHS_MIN,
} from '../wire/limits.ts';

export const usageEndpoints = endpoints({
  'GET /v1/usage/billing': {
    auth: 'vendor',
    permission: 'usage:read',
    allProjects: true,
    summary: 'Count billable tenants by month',
    description:
      'How many tenants were active in each month. A tenant counts once, regardless of how many ' +
      'projects it uses. Live traffic only; test credentials are rejected.',
    query: z.strictObject({
      months: queryInteger(USAGE_MONTHS_MIN, USAGE_MONTHS_MAX, BILLING_MONTHS_DEFAULT),
      ...paging(LIST_LIMIT_MAX, LIST_LIMIT_DEFAULT),
    }),
    list: true,
    answers: { 200: list(BillableTenantMonth) },
  },
  'GET /v1/usage/tenants': {
    auth: 'vendor',
    permission: 'usage:read',
    summary: 'List tenant activity by month, project and environment',
    description:
      'Shows which customers use what, and when each was last active. Test traffic is included ' +
      'unless you choose an environment.',
    query: z.strictObject({
      months: queryInteger(USAGE_MONTHS_MIN, USAGE_MONTHS_MAX, TENANT_MONTHS_DEFAULT),
      env: Env.optional(),
      tenant_id: Uuid.optional(),
      project_id: Uuid.optional(),
      ...paging(LIST_LIMIT_MAX, LIST_LIMIT_DEFAULT),
    }),
    list: true,
    answers: { 200: list(TenantActivityMonth) },
  },
  'GET /v1/usage/keys': {
    auth: 'vendor',
    permission: 'usage:read',
    summary: 'Read the daily usage of several API keys',
    description:
      'Like `GET /v1/keys/{id}/usage`, for up to 100 keys in one request, in the order sent. IDs ' +
      'of keys the credential cannot see are left out.',
    query: z.strictObject({
      key_id: Ids,
      days: queryInteger(1, KEYS_USAGE_DAYS_MAX, KEYS_USAGE_DAYS_DEFAULT),
      ...paging(IDS_MAX, IDS_MAX),
    }),
    list: true,
    answers: { 200: list(Usage) },
  },
  'GET /v1/usage/overview': {
    auth: 'vendor',
    permission: 'usage:read',
    summary: 'Read requests, denials and latency by hour or day',
    description:
      'The last `count` intervals in UTC, including the current one: at most 168 hours or 35 ' +
      'days. Percentiles come from a histogram and are accurate to within 9.1%.',
    query: z
      .strictObject({
        interval: z.enum(['hour', 'day']).default('hour'),
        count: queryInteger(1, OVERVIEW_HOURS_MAX, OVERVIEW_HOURS_DEFAULT),
        project_id: Uuid.optional(),
        env: Env.optional(),
      })
      .refine(({ interval, count }) => interval === 'hour' || count <= OVERVIEW_DAYS_MAX, {
        path: ['count'],
        message: `must be at most ${OVERVIEW_DAYS_MAX} days`,
      }),
    answers: { 200: UsageOverview },
  },
});
