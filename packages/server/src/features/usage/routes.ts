// Usage metrics for billing, for tenants and for charts.
import { usageEndpoints } from '@keyrail/protocol/endpoints/usage.ts';
import { pageOf } from '../../http/page.ts';
import { serve } from '../../http/route.ts';
import {
  presentBillableMonth,
  presentKeyUsage,
  presentOverview,
  presentTenantMonth,
} from './present.ts';
import { readKeysUsage } from './read-keys-usage.ts';
import {
  listBillableMonths,
  listIntervals,
  listTenantMonths,
  type TenantMonthPlace,
} from './rows.ts';

export const usageRoutes = serve(usageEndpoints, {
  'GET /v1/usage/billing': {
    boundary: 'liveOnly',
    door: 'read',
    run: ({ read, query: { months, limit }, after }) =>
      pageOf(limit, {
        list: (most) =>
          listBillableMonths(read, { months, after: after?.[0] ?? null, limit: most }),
        present: presentBillableMonth,
        next: ({ month }) => [month],
      }),
  },
  'GET /v1/usage/tenants': {
    boundary: 'rows',
    door: 'read',
    run: ({ read, query, after }) =>
      pageOf(query.limit, {
        list: (limit) =>
          listTenantMonths(read, {
            months: query.months,
            env: query.env,
            tenantId: query.tenant_id,
            projectId: query.project_id,
            after: placeIn(after),
            limit,
          }),
        present: presentTenantMonth,
        next: (last) => [last.month, last.tenantId, last.projectId, last.env],
      }),
  },
  'GET /v1/usage/keys': {
    boundary: 'rows',
    door: 'read',
    run: ({ read, query: { key_id: ids, days, limit }, after }) => {
      const wanted = [...new Set(ids)];
      const rest = wanted.slice(wanted.indexOf(after?.[0] ?? '') + 1);
      return pageOf(limit, {
        list: async (most) => (await readKeysUsage(read, { ids: rest, days })).slice(0, most),
        present: presentKeyUsage,
        next: ({ keyId }) => [keyId],
      });
    },
  },
  'GET /v1/usage/overview': {
    boundary: 'rows',
    door: 'read',
    run: async ({ read, query: { interval, count, project_id: projectId, env } }) =>
      presentOverview(interval, await listIntervals(read, { interval, count, projectId, env })),
  },
});

function placeIn(after: readonly string[] | null): TenantMonthPlace | null {
  const [month, tenantId, projectId, env] = after ?? [];
  if (!month || !tenantId || !projectId || !env) return null;
  return { month, tenantId, projectId, env: env === 'live' ? 'live' : 'test' };
}
