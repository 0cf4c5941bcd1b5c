// A search through everything in a workspace.
import { z } from 'zod';
import { endpoints } from '../endpoint.ts';
import { SearchResult } from '../objects/search-result.ts';
import { list } from '../objects/wire.ts';
import { OLDER_MATCHES, SearchText, SearchTypes } from '../query.ts';
import { Env } from '../validators.ts';
import { FOUND_PER_TYPE_MAX, SEARCH_EXAMINED_MAX } from '../wire/limits.ts';

export const searchEndpoints = endpoints({
  'GET /v1/search': {
    auth: 'vendor',
    permission: 'keys:read',
    summary: 'Search through everything',
    description:
      'Finds keys by name, display prefix or ID; tenants by name, external ID or ID; projects by ' +
      'name, slug or ID; secret keys by name or display prefix; members by name or email address; ' +
      'and nodes by ID. Exact matches come first, then matches at the start of a field, then ' +
      'matches anywhere else; each of them newest first. Returns at most ' +
      `${FOUND_PER_TYPE_MAX} results of each type. Matches that are not at the start of a field ` +
      `are found among the newest ${SEARCH_EXAMINED_MAX} objects of a type; ${OLDER_MATCHES}. ` +
      'A secret key finds only types it may list.',
    query: z.strictObject({
      q: SearchText,
      types: SearchTypes.optional(),
      env: Env.optional().meta({
        description: 'Only this environment, and what belongs to none.',
      }),
    }),
    answers: { 200: list(SearchResult) },
  },
});
