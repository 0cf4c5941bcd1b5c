// What the rows show beside the key itself: names of tenants and projects, and usage by day. One
// request of each kind for a page of rows.
import type { Item } from '@keyrail/client';
import { usePageReads } from '../../api/page-reads.ts';
import { nowMs } from '../../clock.ts';
import { DAY_MS } from '../../ui/spans.ts';
import { PAGE_ROWS } from './search.ts';

export type ApiKey = Item<'GET /v1/keys'>;
export type Names = ReadonlyMap<string, string>;

type Pages = readonly (readonly ApiKey[])[];

const DAYS = 7;

const idsOf = (page: readonly ApiKey[], field: 'id' | 'tenant_id' | 'project_id'): string[] => [
  ...new Set(page.map((key) => key[field])),
];

export function useTenantNames(pages: Pages): Names {
  const tenants = usePageReads(
    'GET /v1/tenants',
    pages.map((page) =>
      page.length === 0 ? null : { query: { id: idsOf(page, 'tenant_id'), limit: PAGE_ROWS } },
    ),
  );
  return new Map(tenants.map(({ id, name, external_id }) => [id, name ?? external_id]));
}

export function useProjectNames(pages: Pages): Names {
  const projects = usePageReads(
    'GET /v1/projects',
    pages.map((page) =>
      page.length === 0 ? null : { query: { id: idsOf(page, 'project_id'), limit: PAGE_ROWS } },
    ),
  );
  return new Map(projects.map(({ id, name }) => [id, name]));
}

/** Requests on each of the last seven days, oldest first, by key. */
export function useWeeks(pages: Pages): ReadonlyMap<string, readonly number[]> {
  const usage = usePageReads(
    'GET /v1/usage/keys',
    pages.map((page) =>
      page.length === 0 ? null : { query: { key_id: idsOf(page, 'id'), days: DAYS } },
    ),
  );
  const days = lastDays(DAYS);
  return new Map(
    usage.map(({ key_id, data: byDay }) => [
      key_id,
      days.map((day) => byDay.find((one) => one.day === day)?.requests ?? 0),
    ]),
  );
}

/** Days in UTC, as telemetry counts them. */
export const lastDays = (count: number): string[] =>
  Array.from({ length: count }, (_, at) =>
    new Date(nowMs() - (count - 1 - at) * DAY_MS).toISOString().slice(0, 10),
  );
