// The numbers shown for each tenant. One request loads the key counts for a whole page of rows.
import type { Item } from '@keyrail/client';
import { useMemo } from 'react';
import { usePageRead } from '../../api/page-reads.ts';
import { useApi } from '../../api/query.ts';
import type { Env } from '../../paths.ts';

export type Tenant = Item<'GET /v1/tenants'>;

export function useKeyCounts(rows: readonly Tenant[], env: Env): ReadonlyMap<string, number> {
  const ids = rows.map(({ id }) => id);
  const input = ids.length === 0 ? null : { query: { by: 'tenant' as const, env, id: ids } };
  const counts = usePageRead('GET /v1/keys/counts', input);
  return useMemo(
    () =>
      new Map(
        (counts ?? []).flatMap(({ tenant_id, active }) => (tenant_id ? [[tenant_id, active]] : [])),
      ),
    [counts],
  );
}

const MONTHS = 3;
const ROWS_MAX = 1000;

/** When each tenant was last active in the past three months, from one page of usage data. */
export function useActivity(env: Env): ReadonlyMap<string, string> {
  const activity = useApi('GET /v1/usage/tenants', {
    query: { months: MONTHS, env, limit: ROWS_MAX },
  });
  return useMemo(() => lastOf(activity.data?.data ?? []), [activity.data]);
}

function lastOf(rows: readonly Item<'GET /v1/usage/tenants'>[]): ReadonlyMap<string, string> {
  const last = new Map<string, string>();
  for (const { tenant_id, last_seen_at } of rows) {
    const known = last.get(tenant_id);
    if (known === undefined || known < last_seen_at) last.set(tenant_id, last_seen_at);
  }
  return last;
}
