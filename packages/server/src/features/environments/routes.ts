// The two environments: a closed set, so there is nothing to store.
import { environmentEndpoints } from '@keyrail/protocol/endpoints/environments.ts';
import { serve } from '../../http/route.ts';

export const environmentRoutes = serve(environmentEndpoints, {
  'GET /v1/environments': {
    boundary: 'shared',
    door: 'none',
    run: () => ({
      object: 'list' as const,
      data: [
        { object: 'environment' as const, name: 'live' as const, billable: true },
        { object: 'environment' as const, name: 'test' as const, billable: false },
      ],
    }),
  },
});
