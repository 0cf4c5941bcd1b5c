// The query parameters that all requests to one feed share.
import type { Env } from '../api/context.ts';
import type { Include } from '../api/options.ts';

/** Which keys the node requests. */
export type FeedFilter = {
  env: Env | null;
  tenantIds: readonly string[];
  include: readonly Include[];
};

const INCLUDED = { meta: 'meta', externalId: 'external_id' } as const;

export function feedQuery(projectId: string, { env, tenantIds, include }: FeedFilter): string {
  const query = new URLSearchParams({ project_id: projectId });
  if (env !== null) query.set('env', env);
  for (const id of tenantIds) query.append('tenant_id', id);
  if (include.length > 0) query.set('include', include.map((name) => INCLUDED[name]).join());
  return query.toString();
}
