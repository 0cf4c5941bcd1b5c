// The data shown with each key: tenant and project names, and usage by day. Each of these takes one
// request per page of rows.

import type { Item } from '@keyrail/client';
import { useMemo } from 'react';
import { usePageRead } from '../../api/page-reads.ts';
import { nowMs } from '../../clock.ts';
import { lastDays } from '../../ui/charts/intervals.ts';
import { PAGE_ROWS } from './search.ts';

export type ApiKey = Item<'GET /v1/keys'>;
export type Names = ReadonlyMap<string, string>;
export type Weeks = ReadonlyMap<string, readonly number[]>;

type Rows = readonly ApiKey[];

const DAYS = 7;

const idsOf = (rows: Rows, field: 'id' | 'tenant_id' | 'project_id'): string[] => [
  ...new Set(rows.map((key) => key[field])),
];

export function useTenantNames(rows: Rows): Names | null {
  const id = idsOf(rows, 'tenant_id');
  const input = id.length === 0 ? null : { query: { id, limit: PAGE_ROWS } };
  const tenants = usePageRead('GET /v1/tenants', input);
  return useMemo(
    () => tenants && new Map(tenants.map((one) => [one.id, one.name ?? one.external_id])),
    [tenants],
  );
}

export function useProjectNames(rows: Rows): Names | null {
  const id = idsOf(rows, 'project_id');
  const input = id.length === 0 ? null : { query: { id, limit: PAGE_ROWS } };
  const projects = usePageRead('GET /v1/projects', input);
  return useMemo(() => projects && new Map(projects.map((one) => [one.id, one.name])), [projects]);
}

/** Each key's requests per day over the last seven days, oldest first. */
export function useWeeks(rows: Rows): Weeks {
  const ids = idsOf(rows, 'id');
  const input = ids.length === 0 ? null : { query: { key_id: ids, days: DAYS } };
  const usage = usePageRead('GET /v1/usage/keys', input);
  return useMemo(() => {
    const days = lastDays(DAYS, nowMs());
    return new Map(
      (usage ?? []).map(({ key_id, data: byDay }) => [
        key_id,
        days.map((day) => byDay.find((one) => one.day === day)?.requests ?? 0),
      ]),
    );
  }, [usage]);
}
