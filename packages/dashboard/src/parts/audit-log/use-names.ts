// Loads names for the IDs in audit rows, with a limited number of requests for each page of rows.
import type { Answer, CallInput, Item } from '@keyrail/client';
import { IDS_MAX, WEBHOOK_ENDPOINTS_MAX } from '@keyrail/protocol/wire/limits.ts';
import { useMemo } from 'react';
import { useApi } from '../../api/query.ts';
import type { AuditRow, Names } from './audit-row.ts';
import { changedProjects } from './changes.ts';

/** Loads the names of everything that a page of rows mentions. */
export function useNames(rows: readonly AuditRow[]): Names {
  const projects = useListed('GET /v1/projects', [
    ...new Set([...idsIn(rows, 'project'), ...rows.flatMap(changedProjects)]),
  ]);
  const keys = useListed('GET /v1/keys', idsIn(rows, 'api_key'), { include_revoked: true });
  const tenantIds = new Set([...idsIn(rows, 'tenant'), ...sessionsIn(rows, keys).values()]);
  const tenants = useListed('GET /v1/tenants', [...tenantIds]);
  const secretKeys = useListed('GET /v1/secret_keys', idsIn(rows, 'secret_key'));
  const members = useListed('GET /v1/members', idsIn(rows, 'workspace_member'));
  const invites = useListed('GET /v1/invites', idsIn(rows, 'workspace_invite'));
  const endpoints = useApi(
    'GET /v1/webhook_endpoints',
    { query: { limit: WEBHOOK_ENDPOINTS_MAX } },
    { enabled: rows.some((row) => row.target_type === 'webhook_endpoint') },
  );
  return useMemo(
    () =>
      new Map([
        ...rows.flatMap(nameIn),
        ...projects.map(({ id, name }) => [id, name] as const),
        ...tenants.map((one) => [one.id, nameOf(one)] as const),
        ...[...sessionsIn(rows, keys)].flatMap(([id, tenantId]) =>
          tenants.filter((one) => one.id === tenantId).map((one) => [id, nameOf(one)] as const),
        ),
        ...[...keys, ...secretKeys].map((one) => [one.id, one.name ?? one.display_prefix] as const),
        ...members.map((one) => [one.user_id, one.name ?? one.email] as const),
        ...invites.map(({ id, email }) => [id, email] as const),
        ...(endpoints.data?.data ?? []).map(({ id, url }) => [id, new URL(url).host] as const),
      ]),
    [rows, projects, tenants, keys, secretKeys, members, invites, endpoints.data],
  );
}

const nameOf = (tenant: Item<'GET /v1/tenants'>): string => tenant.name ?? tenant.external_id;

/**
 * Maps the key manager's sessions to their tenants. A row contains only the session's ID, but a
 * session can only change its tenant's keys, and the row names the key.
 */
function sessionsIn(
  rows: readonly AuditRow[],
  keys: readonly Item<'GET /v1/keys'>[],
): Map<string, string> {
  const tenantOf = new Map(keys.map(({ id, tenant_id }) => [id, tenant_id]));
  return new Map(
    rows.flatMap(({ actor_type, actor_id, target_id }) => {
      const tenantId = tenantOf.get(target_id);
      const isKnown = actor_type === 'embed' && actor_id !== null && tenantId !== undefined;
      return isKnown ? [[actor_id, tenantId] as const] : [];
    }),
  );
}

/**
 * Fields of a row's payload that contain the target's name. Once the target is deleted, its name is
 * found nowhere else.
 */
const NAMING = ['display_prefix', 'slug', 'external_id', 'host', 'email'];

const nameIn = ({ target_id, payload }: AuditRow): (readonly [string, string])[] =>
  NAMING.map((field) => payload[field])
    .filter((name) => typeof name === 'string')
    .map((name) => [target_id, name]);

/** The IDs of one kind of object, which a row mentions as its actor, target or new key. */
function idsIn(rows: readonly AuditRow[], kind: string): string[] {
  const ids = rows.flatMap(({ action, actor_type, actor_id, target_type, target_id, payload }) => {
    const type = action === 'api_key.imported' ? 'project' : target_type;
    return [
      ...(actor_type === kind && actor_id !== null ? [actor_id] : []),
      ...(type === kind ? [target_id] : []),
      ...(type === kind && typeof payload.successor_id === 'string' ? [payload.successor_id] : []),
    ];
  });
  return [...new Set(ids)];
}

type ListById =
  `GET /v1/${'projects' | 'tenants' | 'keys' | 'secret_keys' | 'members' | 'invites'}`;

/** Lists objects by ID. A page of 100 rows mentions up to 300 objects, which takes 3 requests. */
function useListed<E extends ListById>(
  endpoint: E,
  ids: readonly string[],
  more = {},
): readonly Item<E>[] {
  const first = usePart(endpoint, ids.slice(0, IDS_MAX), more);
  const second = usePart(endpoint, ids.slice(IDS_MAX, 2 * IDS_MAX), more);
  const third = usePart(endpoint, ids.slice(2 * IDS_MAX, 3 * IDS_MAX), more);
  return useMemo(
    () => [first, second, third].flatMap((part) => (part?.data ?? []) as Item<E>[]),
    [first, second, third],
  );
}

const usePart = <E extends ListById>(
  endpoint: E,
  id: readonly string[],
  more: object,
): Answer<E> | undefined =>
  useApi(
    endpoint,
    { query: { ...more, id, limit: IDS_MAX } } as unknown as CallInput<E>,
    // The names already loaded stay on the screen while those for new rows are loading.
    { enabled: id.length > 0, keeps: true },
  ).data;
