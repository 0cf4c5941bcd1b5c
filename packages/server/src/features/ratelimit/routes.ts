// Rate-limit counters shared by all nodes. These endpoints have no access to the database.
import { ratelimitEndpoints } from '@keyrail/protocol/endpoints/ratelimit.ts';
import { notFound } from '../../base/errors.ts';
import { chain } from '../../base/maybe-async.ts';
import type { Env, Reach } from '../../doors/reach.ts';
import { serve } from '../../http/route.ts';
import { checkLimits } from './check-limits.ts';
import type { Subjects } from './counter-names.ts';
import { leaseLimits } from './lease-limits.ts';
import { presentLease, presentVerdict } from './present.ts';
import { returnLease } from './return-lease.ts';

export const ratelimitRoutes = serve(ratelimitEndpoints, {
  'POST /v1/ratelimit/check': {
    boundary: 'rows',
    door: 'volatile',
    whenQuarantined: 'allow',
    hot: true,
    bodyRepeats: true,
    run: ({ counters, reach, body }) => {
      const { limits: rules, cost } = body;
      const subjects = subjectsOf(reach, body);
      return chain(checkLimits(counters, { subjects, rules, cost }), (verdict) =>
        presentVerdict(verdict, rules, counters.store),
      );
    },
  },
  'POST /v1/ratelimit/lease': {
    boundary: 'rows',
    door: 'volatile',
    whenQuarantined: 'allow',
    hot: true,
    run: ({ counters, reach, newId, body }) => {
      const { limits: rules, want } = body;
      const subjects = subjectsOf(reach, body);
      return chain(leaseLimits(counters, { subjects, rules, want, id: newId() }), (lease) =>
        presentLease(lease, rules, counters.store),
      );
    },
  },
  'POST /v1/ratelimit/return': {
    boundary: 'rows',
    door: 'volatile',
    whenQuarantined: 'allow',
    hot: true,
    run: ({ counters, reach, body }) => {
      const { limits: rules, lease_id, unused } = body;
      const subjects = subjectsOf(reach, body);
      const rest = { subjects, rules, leaseId: lease_id, unused };
      return chain(returnLease(counters, rest), (returned) => ({
        object: 'ratelimit_lease' as const,
        lease_id,
        returned,
      }));
    },
  },
});

type Counted = { env: Env; project_id: string; key_id: string | null; tenant_id: string | null };

/**
 * Projects are not looked up in the database. Only a secret key limited to certain projects gets a
 * 404 for other projects.
 */
function subjectsOf({ workspaceId, projectIds }: Reach, body: Counted): Subjects {
  if (projectIds && !projectIds.includes(body.project_id)) throw notFound('project');
  return {
    workspaceId,
    env: body.env,
    projectId: body.project_id,
    keyId: body.key_id,
    tenantId: body.tenant_id,
  };
}
