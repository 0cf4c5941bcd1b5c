// When a secret key last used each of its permissions.
import type { Permission } from '@keyrail/protocol/wire/permissions.ts';
import { useApi } from '../../api/query.ts';

export type Uses = ReadonlyMap<Permission, string>;

/** `uses` contains the last use of each permission. It is undefined until the data has loaded. */
export function useUses(id: string) {
  const usage = useApi('GET /v1/secret_keys/{id}/usage', { params: { id } });
  const uses: Uses | undefined =
    usage.data &&
    new Map(usage.data.permissions.map((one) => [one.permission, one.last_used_at] as const));
  return { usage, uses };
}
