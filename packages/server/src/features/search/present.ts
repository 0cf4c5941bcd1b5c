// Turns rows into search results.
import type { SearchResult } from '@keyrail/protocol/objects/search-result.ts';
import type { SearchType } from '@keyrail/protocol/wire/search-types.ts';
import { nodeStateOf } from '../policy/node-state.ts';
import type { FoundNode, FoundRow } from './rows.ts';
import type { FoundThing } from './search-workspace.ts';

type WithId = Exclude<SearchType, 'node'>;

const paths: Record<WithId, string> = {
  api_key: '/v1/keys/',
  tenant: '/v1/tenants/',
  project: '/v1/projects/',
  secret_key: '/v1/secret_keys/',
  member: '/v1/members/',
};

const presentRow = (type: WithId, { id, title, subtitle, env, state }: FoundRow): SearchResult => ({
  object: 'search_result',
  type,
  id,
  title,
  subtitle,
  env,
  state,
  href: paths[type] + id,
});

const presentNode = (row: FoundNode): SearchResult => ({
  object: 'search_result',
  type: 'node',
  id: row.nodeId,
  title: row.nodeId,
  subtitle: row.projectName,
  env: row.envScope === 'all' ? null : row.envScope,
  state: nodeStateOf(row),
  href: `/v1/policy/nodes?project_id=${row.projectId}`,
});

export const presentFound = (found: FoundThing): SearchResult =>
  found.type === 'node' ? presentNode(found.row) : presentRow(found.type, found.row);
