// The query parameters that all requests to one feed share.
import type { Env } from '../api/context.ts';
import type { Include } from '../api/options.ts';

/** Which keys the node requests. */
export type FeedFilter = {
  env: Env | null;
  tenantIds: readonly string[];
  include: readonly Include[];
  /**
   * The features that the node can enforce. It gets no keys that require features not listed here.
   */
  understands: readonly string[];
};

const INCLUDED = { meta: 'meta', externalId: 'external_id' } as const;

export function feedQuery(projectId: string, filter: FeedFilter): string {
  const { env, tenantIds, include, understands } = filter;
  const query = new URLSearchParams({ project_id: projectId });
  if (env !== null) query.set('env', env);
  for (const id of tenantIds) query.append('tenant_id', id);
  if (include.length > 0) query.set('include', include.map((name) => INCLUDED[name]).join());
  if (understands.length > 0) query.set('understands', understands.join());
  return query.toString();
}
