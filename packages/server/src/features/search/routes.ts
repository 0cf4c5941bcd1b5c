// Searches everything in a workspace.
import { searchEndpoints } from '@keyrail/protocol/endpoints/search.ts';
import { serve } from '../../http/route.ts';
import { presentFound } from './present.ts';
import { searchWorkspace } from './search-workspace.ts';

export const searchRoutes = serve(searchEndpoints, {
  'GET /v1/search': {
    boundary: 'rows',
    door: 'read',
    run: async ({ read, query: { q, types, env } }) => ({
      object: 'list' as const,
      data: (await searchWorkspace(read, { q, types, env })).map(presentFound),
    }),
  },
});
