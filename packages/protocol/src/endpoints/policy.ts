// The policy feed: everything nodes need to verify keys locally.
import { z } from 'zod';
import { endpoints } from '../endpoint.ts';
import { PolicyDelta, PolicySnapshot } from '../objects/policy.ts';
import { PolicyNode, PolicyNodeReport } from '../objects/policy-node.ts';
import { list } from '../objects/wire.ts';
import {
  FeedIncludes,
  paging,
  queryBoolean,
  queryInteger,
  TenantFilter,
  Understands,
} from '../query.ts';
import { text } from '../text.ts';
import { Cursor, Env, FeedNonce, NodeId, Uuid } from '../validators.ts';
import {
  LIST_LIMIT_DEFAULT,
  LIST_LIMIT_MAX,
  NODE_SEEN_WITHIN_MS,
  POLICY_REPORT_NODES_MAX,
  POLICY_REPORT_NODES_MIN,
  POLICY_WAIT_MS_MAX,
  SDK_HEADER_CHARS_MAX,
} from '../wire/limits.ts';

const filter = {
  project_id: Uuid,
  env: Env.optional(),
  tenant_id: TenantFilter.optional(),
  node: NodeId.optional(),
  include: FeedIncludes.optional(),
  understands: Understands.optional(),
  // The only parameter that is clamped (to the server's maximum page size) instead of rejected.
  // Sending it enables paging.
  max_keys: queryInteger(1, Number.MAX_SAFE_INTEGER).optional(),
};

const headers = {
  'Keyrail-SDK': 'Name and version of the SDK, as `name/version`.',
  'Keyrail-Node': "The node's ID, if the query has no `node`. Nodes that send it share signatures.",
  'Keyrail-Node-Name':
    'A name the node keeps across restarts, if it has a new ID after each start. After a node ' +
    'with a name has left, its ID is rejected for a minute.',
  'Keyrail-Poll-Interval':
    'The longest time between two polls without `wait_ms`, in milliseconds. A node counts as ' +
    'connected until its next poll is due.',
};

const HAS_LEFT = 'The node left less than a minute ago.';

export const policyEndpoints = endpoints({
  'GET /v1/policy/snapshot': {
    auth: 'machine',
    permission: 'policy:read',
    summary: "Read a project's full policy",
    description:
      'Nodes load this when they start; after that, they only read changes. Without `max_keys`, ' +
      'a snapshot larger than one page gets 413. All pages have the version of the first; pass ' +
      '`next_cursor` as `cursor` to get the next page. A page also ends when its scopes, and ' +
      '`meta` if included, exceed 8 MiB. The signature of a response covers `nonce`, so the ' +
      'response to a fresh nonce cannot be an old recording.',
    headers: {
      ...headers,
      'If-None-Match': 'The `ETag` of an earlier response; 304 if nothing has changed.',
    },
    query: z.strictObject({
      ...filter,
      cursor: Cursor.optional(),
      nonce: FeedNonce.optional().meta({ description: '16 random bytes in base64url.' }),
    }),
    refusals: {
      404: 'No such project.',
      409: HAS_LEFT,
      413: 'The snapshot is larger than one page, and `max_keys` is missing.',
    },
    answers: { 200: PolicySnapshot, 304: null },
  },
  'GET /v1/policy/delta': {
    auth: 'machine',
    permission: 'policy:read',
    summary: 'Read what changed since a version',
    description:
      'A poll acknowledges that `node` has applied version `since`. A node that is too far ' +
      'behind gets a snapshot; a node that is up to date gets 304. With `wait_ms`, the request ' +
      'waits for a change. With `leave=true`, the node reports that it has stopped verifying ' +
      'keys: it is removed immediately, and the request neither acknowledges nor waits. If the ' +
      'node has a name, polls that arrive later are rejected and do not register it again.',
    headers,
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
    refusals: {
      404: 'No such project.',
      409: HAS_LEFT,
      413: 'The node needs a snapshot larger than one page, and `max_keys` is missing.',
    },
    answers: { 200: z.discriminatedUnion('object', [PolicyDelta, PolicySnapshot]), 304: null },
  },
  'GET /v1/policy/nodes': {
    auth: 'vendor',
    permission: 'policy:read',
    summary: "List a project's nodes, most recently seen first",
    description:
      "The processes using the project's policy, with the version each has acknowledged. `env` " +
      'leaves out nodes that do not use that environment. Nodes that have been silent for 7 ' +
      'days, or have reported shutting down, are not listed; nor is a disconnected node if ' +
      'another one with its name has started since its last poll. A node moves to the first page ' +
      'when it polls, so read all nodes in one page if you can.',
    query: z.strictObject({
      project_id: Uuid,
      env: Env.optional(),
      overprivileged: queryBoolean(false).meta({
        description:
          'Only nodes whose last poll used a secret key that can do more than a node needs.',
      }),
      ...paging(LIST_LIMIT_MAX, LIST_LIMIT_DEFAULT),
    }),
    list: true,
    refusals: { 404: 'No such project.' },
    answers: { 200: list(PolicyNode) },
  },
  'POST /v1/policy/report': {
    auth: 'machine',
    permission: 'policy:read',
    summary: 'Report nodes that poll a relay',
    description:
      'A relay responds to the polls of many nodes, and reports here what their polls would have ' +
      'acknowledged: that each node is alive, and which version it has applied. `version: null` ' +
      'acknowledges nothing, like a request for a snapshot. A relay must not respond to a node ' +
      'before it has reported the node, nor with a policy older than `version` in the response.',
    body: z.strictObject({
      project_id: Uuid,
      env: Env.optional().meta({
        description: 'The environment the nodes use, as in the query of their polls.',
      }),
      nodes: z
        .array(
          z.strictObject({
            node_id: NodeId,
            name: NodeId.nullable().default(null).meta({
              description: "The node's `Keyrail-Node-Name` header.",
            }),
            next_poll_ms: z
              .int()
              .min(0)
              .max(NODE_SEEN_WITHIN_MS)
              .nullable()
              .default(null)
              .meta({
                description:
                  "The longest time until the node's next poll: `wait_ms` if its poll is " +
                  'waiting, otherwise the `Keyrail-Poll-Interval` header.',
              }),
            version: z.int().min(0).nullable().default(null),
            sdk: text(1, SDK_HEADER_CHARS_MAX).nullable().default(null).meta({
              description: "The node's `Keyrail-SDK` header.",
            }),
            understands: Understands.optional().meta({
              description: "The query parameter `understands` of the node's poll.",
            }),
          }),
        )
        .min(POLICY_REPORT_NODES_MIN)
        .max(POLICY_REPORT_NODES_MAX),
    }),
    refusals: { 404: 'No such project.' },
    answers: { 200: PolicyNodeReport },
  },
});
