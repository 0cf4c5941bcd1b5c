// The two environments are a closed set, so they are not stored.
import { environmentEndpoints } from '@keyrail/protocol/endpoints/environments.ts';
import { allEnvs } from '../../doors/reach.ts';
import { pageOf } from '../../http/page.ts';
import { serve } from '../../http/route.ts';

export const environmentRoutes = serve(environmentEndpoints, {
  'GET /v1/environments': {
    boundary: 'shared',
    door: 'none',
    run: ({ query, after }) => {
      const names: readonly unknown[] = allEnvs;
      const begin = names.indexOf(after?.[0]) + 1;
      return pageOf(query.limit, {
        list: async (limit) => allEnvs.slice(begin, begin + limit),
        present: (name) => ({ object: 'environment' as const, name, billable: name === 'live' }),
        next: (name) => [name],
      });
    },
  },
});
