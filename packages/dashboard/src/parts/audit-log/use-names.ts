// Loads names for the IDs in audit rows, with a limited number of requests for each page of rows.
import type { Item } from '@keyrail/client';
import { useMemo } from 'react';
import { useApi } from '../../api/query.ts';

export type AuditRow = Item<'GET /v1/audit_logs'>;
export type Names = ReadonlyMap<string, string>;

const NAMES_MAX = 100;

/** Loads projects and tenants by ID, and the newest hundred keys and members. */
export function useNames(rows: readonly AuditRow[]): Names {
  const projectIds = idsOf(rows, ({ target_type, action }) =>
    action === 'api_key.imported' ? true : target_type === 'project',
  );
  const tenantIds = idsOf(rows, ({ target_type }) => target_type === 'tenant');
  const query = { limit: NAMES_MAX };
  const has = (type: string) =>
    rows.some((row) => row.target_type === type || row.actor_type === type);
  const projects = useApi(
    'GET /v1/projects',
    { query: { ...query, id: projectIds } },
    { enabled: projectIds.length > 0, keeps: true },
  );
  const tenants = useApi(
    'GET /v1/tenants',
    { query: { ...query, id: tenantIds } },
    { enabled: tenantIds.length > 0, keeps: true },
  );
  const keys = useApi(
    'GET /v1/keys',
    { query: { ...query, include_revoked: true } },
    { enabled: has('api_key') },
  );
  const secretKeys = useApi('GET /v1/secret_keys', { query }, { enabled: has('secret_key') });
  const members = useApi('GET /v1/members', { query }, { enabled: has('workspace_member') });
  const named = useMemo(
    () => [...(keys.data?.data ?? []), ...(secretKeys.data?.data ?? [])],
    [keys.data, secretKeys.data],
  );
  return useMemo(
    () =>
      new Map([
        ...rows.flatMap(prefixOf),
        ...named.map((one) => [one.id, one.name ?? one.display_prefix] as const),
        ...(projects.data?.data ?? []).map(({ id, name }) => [id, name] as const),
        ...(tenants.data?.data ?? []).map((one) => [one.id, one.name ?? one.external_id] as const),
        ...(members.data?.data ?? []).map((one) => [one.user_id, one.name ?? one.email] as const),
      ]),
    [rows, named, projects.data, tenants.data, members.data],
  );
}

const prefixOf = ({ target_id, payload }: AuditRow): (readonly [string, string])[] =>
  typeof payload.display_prefix === 'string' ? [[target_id, payload.display_prefix]] : [];

function idsOf(rows: readonly AuditRow[], isNamed: (row: AuditRow) => boolean): string[] {
  const ids = rows.filter(isNamed).map(({ target_id }) => target_id);
  return [...new Set(ids)].slice(-NAMES_MAX);
}
