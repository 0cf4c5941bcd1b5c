// The policy feed, from which nodes learn what they need to verify keys by themselves.
import { z } from 'zod';
import { endpoints } from '../endpoint.ts';
import { POLICY_WAIT_MS_MAX } from '../limits.ts';
import { PolicyDelta, PolicySnapshot } from '../objects/policy.ts';
import { queryBoolean, queryInteger, TenantFilter } from '../query.ts';
import { Cursor, Env, NodeId, Uuid } from '../validators.ts';

const filter = {
  project_id: Uuid,
  env: Env.optional(),
  tenant_id: TenantFilter.optional(),
  node: NodeId.optional(),
  // The only number that is clamped, by the server's page ceiling; its presence allows paging.
  max_keys: queryInteger(1, Number.MAX_SAFE_INTEGER).optional(),
};

export const policyEndpoints = endpoints({
  'GET /v1/policy/snapshot': {
    auth: 'machine',
    summary: 'Read the whole policy of a project',
    description:
      'Sent without `max_keys`, a snapshot beyond the page ceiling is refused with 413. Pages ' +
      'share the version of the first one; use `next_cursor` for the next. A page ends early when ' +
      'its scopes exceed 8 MiB, which counts as the ceiling too.',
    headers: { 'If-None-Match': 'The `ETag` of an earlier answer; 304 when it still holds.' },
    query: z.strictObject({ ...filter, cursor: Cursor.optional() }),
    answers: { 200: PolicySnapshot, 304: null },
  },
  'GET /v1/policy/delta': {
    auth: 'machine',
    summary: 'Read what changed since a version',
    description:
      'Polling acknowledges `since` as applied by `node`. A node that is too far behind gets a ' +
      'snapshot, one that has everything a 304. With `wait_ms` the request is held until ' +
      'something changes. With `leave=true` the node says that it verifies no key any more: it is ' +
      'forgotten at once, acknowledges nothing and is not held.',
    query: z
      .strictObject({
        ...filter,
        since: queryInteger(0, Number.MAX_SAFE_INTEGER),
        wait_ms: queryInteger(0, POLICY_WAIT_MS_MAX, 0),
        leave: queryBoolean(false),
      })
      .refine(({ leave, node }) => !leave || node !== undefined, {
        path: ['node'],
        message: 'is required with leave=true',
      }),
    answers: { 200: z.discriminatedUnion('object', [PolicyDelta, PolicySnapshot]), 304: null },
  },
});
