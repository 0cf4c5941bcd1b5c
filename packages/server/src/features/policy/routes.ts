// The policy feed, which provides nodes with everything they need to verify keys locally.
import { policyEndpoints } from '@keyrail/protocol/endpoints/policy.ts';
import { shared } from '../../base/coalesce.ts';
import { JsonText } from '../../base/json-text.ts';
import type { RecordDoor } from '../../doors/record.ts';
import { pageOf } from '../../http/page.ts';
import { Reply, type ServedRoute, serve } from '../../http/route.ts';
import type { SignFeed } from '../../signing/feed.ts';
import type { PolicyHub } from '../../volatile/policy-hub.ts';
import { loadProject } from '../projects/rows.ts';
import { readSnapshot, type SnapshotQuestion } from './feed-snapshot.ts';
import {
  cursorPositionOf,
  envScopes,
  etagOf,
  filterOf,
  isKnownEtag,
  readCursorPosition,
  visibleScopes,
} from './feed-view.ts';
import { type FollowParts, followFeed } from './follow-feed.ts';
import { listNewestNodes, type NodePosition } from './node.rows.ts';
import { nodeIn, pollMsIn } from './node-headers.ts';
import { createNodeRegistry, versionOf } from './node-registry.ts';
import { presentDelta, presentNode, presentSnapshot } from './present.ts';
import { reportNodes } from './report-nodes.ts';
import { feedIn } from './rows.ts';

export type PolicyParts = {
  hub: PolicyHub;
  policyPageKeysMax: number;
  signFeed: SignFeed;
  /** The features that keys may require. Tests add a made-up feature. */
  feedFeatures: readonly string[];
};

export const policyRoutes = ({
  hub,
  policyPageKeysMax: keysMax,
  signFeed,
  feedFeatures,
}: PolicyParts): ServedRoute[] => {
  const nodes = createNodeRegistry(hub);
  const parts: FollowParts = {
    hub,
    nodes,
    share: shared(),
    textOf: (delta, filter, since) =>
      new JsonText(JSON.stringify(presentDelta(delta, filter, since))),
  };
  const signed = async (target: string, { body, etag }: FeedReply, nonce?: string) => {
    const status = body === null ? 304 : 200;
    const isShared = nonce === undefined;
    const signature = await signFeed({ status, etag, target, body, isShared });
    return new Reply(body, { status, headers: { etag, ...signature } });
  };
  return serve(policyEndpoints, {
    'GET /v1/policy/snapshot': {
      boundary: 'rows',
      door: 'record',
      // Nodes receive revocations from this endpoint, so it has to work even when the disk is
      // nearly full.
      storage: 'reserve',
      patience: 'stepped',
      compress: true,
      hot: true,
      run: async ({ record, query, after: cursor, issueCursor, header, target }) => {
        const filter = filterOf(record.read.reach, query, feedFeatures);
        const node = { filter, ...nodeIn(header, query), nextPollMs: pollMsIn(header) };
        const version = versionOf(await nodes.seen(record.read, node, null));
        const etag = etagOf('snap', filter, version);
        if (!cursor && isKnownEtag(header('if-none-match'), etag)) {
          return signed(target, { body: null, etag }, query.nonce);
        }
        const after = cursor && readCursorPosition(cursor, filter);
        const page = { filter, pageKeysMax: query.max_keys ?? null, keysMax, after };
        return signed(target, await snapshotReply(record, page, issueCursor), query.nonce);
      },
    },
    'GET /v1/policy/delta': {
      boundary: 'rows',
      door: 'record',
      storage: 'reserve',
      patience: 'stepped',
      compress: true,
      hot: true,
      // The response may be a snapshot's first page; the snapshot endpoint returns the others.
      cursorsOf: 'GET /v1/policy/snapshot',
      run: async ({ record, query, issueCursor, gone, admitAgain, header, target }) => {
        const { since, leave: leaves, wait_ms: timeoutMs } = query;
        const filter = filterOf(record.read.reach, query, feedFeatures);
        const changesMax = Math.min(query.max_keys ?? keysMax, keysMax);
        const stillReached = async () => {
          const reach = await admitAgain();
          if (reach) filterOf(reach, query, feedFeatures);
        };
        const wait =
          timeoutMs > 0 && !leaves ? { timeoutMs, signal: gone(), admitAgain: stillReached } : null;
        const nextPollMs = timeoutMs > 0 ? timeoutMs : pollMsIn(header);
        const node = { filter, ...nodeIn(header, query), nextPollMs };
        const poll = { ...node, since, changesMax, leaves, wait };
        const answer = await followFeed(parts, record, poll);
        if (answer.kind === 'same') {
          return signed(target, { body: null, etag: etagOf('delta', filter, since) });
        }
        if (answer.kind === 'snapshot') {
          const page = { filter, pageKeysMax: query.max_keys ?? null, keysMax, after: null };
          return signed(target, await snapshotReply(record, page, issueCursor));
        }
        const etag = etagOf('delta', filter, answer.version);
        return signed(target, { body: answer.body, etag });
      },
    },
    'GET /v1/policy/nodes': {
      boundary: 'rows',
      door: 'read',
      run: async ({ read, query, after }) => {
        const { id: projectId } = await loadProject(read, query.project_id);
        const scopes = visibleScopes(read.reach, query.env);
        const { overprivileged } = query;
        const filter = { projectId, scopes, overprivileged, after: readNodePosition(after) };
        return pageOf(query.limit, {
          list: (limit) => listNewestNodes(read, { ...filter, limit }),
          present: (row) => presentNode(row, projectId),
          next: nodePositionOf,
        });
      },
    },
    'POST /v1/policy/report': {
      boundary: 'rows',
      door: 'record',
      storage: 'reserve',
      whenQuarantined: 'allow',
      hot: true,
      run: async ({ record, body }) => {
        const filter = filterOf(record.read.reach, body, feedFeatures);
        const report = { filter, nodes: body.nodes, features: feedFeatures };
        const reported = await reportNodes(nodes, record.read, report);
        const object = 'policy_node_report' as const;
        return { object, project_id: filter.projectId, ...reported };
      },
    },
  });
};

/** An unsigned feed response. If the body is null, the response is a 304. */
type FeedReply = { body: JsonText | null; etag: string };

async function snapshotReply(
  record: RecordDoor,
  page: SnapshotQuestion,
  issueCursor: (position: readonly string[]) => string,
): Promise<FeedReply> {
  const { filter } = page;
  const answer = await record.together((tx) => readSnapshot(feedIn(tx), page));
  const { version } = answer.head;
  const next = answer.next && issueCursor(cursorPositionOf(answer.next, version, filter));
  const etag = etagOf('snap', filter, version);
  return { body: new JsonText(JSON.stringify(presentSnapshot(answer, filter, next))), etag };
}

const nodePositionOf = ({ lastSeenAt, nodeId, envScope }: NodePosition): string[] => [
  lastSeenAt.toISOString(),
  nodeId,
  envScope,
];

function readNodePosition(after: readonly string[] | null): NodePosition | null {
  const [lastSeenAt = '', nodeId = '', scope] = after ?? [];
  const envScope = envScopes.find((each) => each === scope);
  return envScope ? { lastSeenAt: new Date(lastSeenAt), nodeId, envScope } : null;
}
