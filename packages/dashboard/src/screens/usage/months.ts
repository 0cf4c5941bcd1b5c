// The list of recent months, and the active tenants in one of them.

import type { Item } from '@keyrail/client';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useContext } from 'react';
import { useSendPages, WorkspaceIdContext } from '../../api/query.ts';
import type { Env } from '../../paths.ts';

export const MONTHS = 12;
const PAGE_ROWS = 1000;
const PAGES_MAX = 5;
export const ROWS_MAX = PAGES_MAX * PAGE_ROWS;

/** The last twelve months, newest first, in the form `2026-11`. */
export function lastMonths(nowMs: number): string[] {
  const now = new Date(nowMs);
  return Array.from({ length: MONTHS }, (_, back) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back, 1)).toISOString().slice(0, 7),
  );
}

type Row = Item<'GET /v1/usage/tenants'>;

export type TenantSum = {
  tenantId: string;
  requests: number;
  firstAt: string;
  lastAt: string;
};

type MonthOfTenants = { tenants: TenantSum[]; requests: number; isWhole: boolean };

/**
 * Returns the tenants that were active in `month`, which was `back` months ago. The request covers
 * only that month and later ones, oldest first, so the rows for `month` come first.
 */
export function useTenantsOf(
  month: string,
  back: number,
  env: Env,
): UseQueryResult<MonthOfTenants> {
  const workspaceId = useContext(WorkspaceIdContext);
  const pagesOf = useSendPages();
  const query = { months: back + 1, env, limit: PAGE_ROWS };
  return useQuery({
    queryKey: [workspaceId, 'GET /v1/usage/tenants', { month, query }],
    queryFn: async ({ signal }) => {
      const rows: Row[] = [];
      let read = 0;
      for await (const { items } of pagesOf('GET /v1/usage/tenants', { query, signal })) {
        const own = items.filter((row) => row.month.startsWith(month));
        rows.push(...own);
        read += 1;
        if (own.length < items.length) break;
        if (read === PAGES_MAX) return sumsOf(rows, items.length < PAGE_ROWS);
      }
      return sumsOf(rows, true);
    },
  });
}

function sumsOf(rows: readonly Row[], isWhole: boolean): MonthOfTenants {
  const sums = new Map<string, TenantSum>();
  let requests = 0;
  for (const { tenant_id: tenantId, request_count, first_seen_at, last_seen_at } of rows) {
    requests += request_count;
    const known = sums.get(tenantId);
    if (!known) {
      sums.set(tenantId, {
        tenantId,
        requests: request_count,
        firstAt: first_seen_at,
        lastAt: last_seen_at,
      });
      continue;
    }
    known.requests += request_count;
    if (first_seen_at < known.firstAt) known.firstAt = first_seen_at;
    if (last_seen_at > known.lastAt) known.lastAt = last_seen_at;
  }
  const tenants = [...sums.values()].sort((one, other) => other.requests - one.requests);
  return { tenants, requests, isWhole };
}
