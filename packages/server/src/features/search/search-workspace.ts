// Searches everything that the caller may list.
import type { Endpoint } from '@keyrail/protocol/endpoint.ts';
import { type AnyLine, allEndpoints } from '@keyrail/protocol/endpoints/all.ts';
import { lacks } from '@keyrail/protocol/wire/permissions.ts';
import { type SearchType, searchTypes } from '@keyrail/protocol/wire/search-types.ts';
import type { Read } from '../../doors/door.ts';
import type { Reach } from '../../doors/reach.ts';
import {
  type FoundNode,
  type FoundRow,
  findKeys,
  findMembers,
  findNodes,
  findProjects,
  findSecretKeys,
  findTenants,
  type Question,
} from './rows.ts';

export type FoundThing =
  | { type: 'node'; row: FoundNode }
  | { type: Exclude<SearchType, 'node'>; row: FoundRow };

const finders = {
  api_key: findKeys,
  tenant: findTenants,
  project: findProjects,
  secret_key: findSecretKeys,
  member: findMembers,
} satisfies Record<Exclude<SearchType, 'node'>, unknown>;

/** The list endpoint for each type. Callers that may not use it get no results of that type. */
const lists: Record<SearchType, AnyLine> = {
  api_key: 'GET /v1/keys',
  tenant: 'GET /v1/tenants',
  project: 'GET /v1/projects',
  secret_key: 'GET /v1/secret_keys',
  member: 'GET /v1/members',
  node: 'GET /v1/policy/nodes',
};

function mayList({ permissions, projectIds }: Reach, type: SearchType): boolean {
  const { permission, allProjects }: Endpoint = allEndpoints[lists[type]];
  if (allProjects && projectIds) return false;
  return !permission || lacks(permissions ?? null, [permission]).length === 0;
}

/** Returns the best matches first. Equally good matches are sorted newest first. */
export async function searchWorkspace(
  read: Read,
  { types = searchTypes, ...question }: Question & { types: readonly SearchType[] | undefined },
): Promise<FoundThing[]> {
  const found: FoundThing[] = [];
  // Searches one type after another, so that a search uses only one connection.
  for (const type of types.filter((each) => mayList(read.reach, each))) {
    if (type === 'node') {
      const hidden = mayList(read.reach, 'project') ? {} : { projectName: null };
      for (const row of await findNodes(read, question)) {
        found.push({ type, row: { ...row, ...hidden } });
      }
    } else {
      for (const row of await finders[type](read, question)) found.push({ type, row });
    }
  }
  return found.sort(
    ({ row: a }, { row: b }) => a.rank - b.rank || b.createdAt.getTime() - a.createdAt.getTime(),
  );
}
