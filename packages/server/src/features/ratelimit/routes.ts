// Rate-limit counters shared by all nodes. The `volatile` door gives no access to the database.
import { ratelimitEndpoints } from '@keyrail/protocol/endpoints/ratelimit.ts';
import { chain } from '../../base/maybe-async.ts';
import { serve } from '../../http/route.ts';
import { acceptedBody } from './body-check.ts';
import { checkLimits } from './check-limits.ts';
import { presentVerdict } from './present.ts';

export const ratelimitRoutes = serve(ratelimitEndpoints, {
  'POST /v1/ratelimit/check': {
    boundary: 'rows',
    door: 'volatile',
    whenQuarantined: 'allow',
    hot: true,
    accept: acceptedBody,
    run: ({ counters, reach, body }) => {
      const { limits: rules, cost } = body;
      const subjects = {
        workspaceId: reach.workspaceId,
        env: body.env,
        projectId: body.project_id,
        keyId: body.key_id,
        tenantId: body.tenant_id,
      };
      return chain(checkLimits(counters, { subjects, rules, cost }), (verdict) =>
        presentVerdict(verdict, rules, counters.store),
      );
    },
  },
});
