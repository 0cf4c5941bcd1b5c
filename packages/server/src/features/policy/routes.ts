// The policy feed, from which nodes learn all they need to verify keys locally.
import { policyEndpoints } from '@keyrail/protocol/endpoints/policy.ts';
import { type Batched, batched, type Shared, shared } from '../../base/coalesce.ts';
import type { Env, Reach } from '../../doors/reach.ts';
import type { Record } from '../../doors/record.ts';
import { Reply, type ServedRoute, serve } from '../../http/route.ts';
import type { PolicyHub, Wait } from '../../volatile/policy-hub.ts';
import { acknowledgeNode } from './acknowledge-node.ts';
import { etagOf, isKnown } from './etag.ts';
import { envScopeOf, type FeedFilter, filterOf } from './filter.ts';
import {
  type Ack,
  listStandings,
  type NodeName,
  removeNode,
  type Standing,
  updateNodes,
} from './node.rows.ts';
import { positionIn, positionOf } from './page-position.ts';
import { presentDelta, presentSnapshot } from './present.ts';
import { type DeltaVerdict, readDelta } from './read-delta.ts';
import { readSnapshot } from './read-snapshot.ts';
import { feedIn } from './rows.ts';

/** Bounds one statement: the embedded store blocks the event loop while it runs. */
const NODES_PER_STATEMENT = 1000;

export type PolicyParts = { hub: PolicyHub; policyPageKeysMax: number };

type Query = {
  project_id: string;
  env?: Env | undefined;
  tenant_id?: string[] | undefined;
  node?: string | undefined;
  max_keys?: number | undefined;
  leave?: boolean;
};

type Asked = { record: Record; query: Query; filter: FeedFilter };

type PageAsked = Asked & {
  after: readonly string[] | null;
  issueCursor(position: readonly string[]): string;
};

/** State of both endpoints: concurrent requests share their reads and writes. */
type FeedWork = {
  hub: PolicyHub;
  keysMax: number;
  readDeltaOnce: Shared<DeltaVerdict>;
  standingOf: Batched<NodeName | null, Standing>;
  noteNode: Batched<Ack, true>;
};

export const policyRoutes = ({ hub, policyPageKeysMax: keysMax }: PolicyParts): ServedRoute[] => {
  const work: FeedWork = {
    hub,
    keysMax,
    readDeltaOnce: shared(),
    standingOf: batched({ max: NODES_PER_STATEMENT }),
    noteNode: batched({ max: NODES_PER_STATEMENT }),
  };
  return serve(policyEndpoints, {
    'GET /v1/policy/snapshot': {
      boundary: 'rows',
      door: 'record',
      // Revocations still work when the disk is nearly full, and nodes learn of them here.
      storage: 'reserve',
      patience: 'stepped',
      compress: true,
      run: async ({ record, query, after, issueCursor, header }) => {
        const filter = filterOf(record.read.reach, query);
        const { version } = await meetNode(work, { record, query, filter }, null);
        const etag = etagOf('snap', filter, version);
        if (!after && isKnown(header('if-none-match'), etag)) return notModified(etag);
        return snapshotReply(work, { record, query, filter, after, issueCursor });
      },
    },
    'GET /v1/policy/delta': {
      boundary: 'rows',
      door: 'record',
      storage: 'reserve',
      patience: 'stepped',
      compress: true,
      // A delta may respond with a snapshot; its further pages come from the snapshot endpoint.
      cursorsOf: 'GET /v1/policy/snapshot',
      run: async ({ record, query, issueCursor, gone, admitAgain }) => {
        const { since, leave } = query;
        const filter = filterOf(record.read.reach, query);
        const { workspaceId } = record.read.reach;
        // A node that leaves gets its response at once.
        const isHeld = query.wait_ms > 0 && !leave;
        const wait = isHeld ? { timeoutMs: query.wait_ms, signal: gone(), workspaceId } : null;
        const isSame = await isUnchanged(work, { record, query, filter }, { since, wait });
        if (isSame) return notModified(etagOf('delta', filter, since));
        // The credential may have been revoked during the wait: authenticate again.
        const [verdict] = await Promise.all([
          deltaSince(work, { record, query, filter }, since),
          wait && admitAgain(),
        ]);
        if (verdict.kind === 'same') return notModified(etagOf('delta', filter, since));
        if (verdict.kind === 'snapshot') {
          return snapshotReply(work, { record, query, filter, after: null, issueCursor });
        }
        const etag = etagOf('delta', filter, verdict.head.version);
        return new Reply(presentDelta(verdict, filter, since), { headers: { etag } });
      },
    },
  });
};

/** Records the node's version, or that the node has left; returns the state of the project. */
async function meetNode(
  { standingOf, noteNode, hub }: FeedWork,
  { record, query, filter }: Asked,
  version: number | null,
): Promise<Standing> {
  const { projectId } = filter;
  const { read } = record;
  const node = nodeOf(query, filter);
  const name = reachName(read.reach);
  const standing = await standingOf(`${name} ${projectId}`, node, (nodes) =>
    listStandings(read, projectId, nodes),
  );
  if (node && query.leave) {
    // Wakes the revocations that wait for this node.
    if (await removeNode(read, projectId, node)) hub.announceAck(projectId);
    return standing;
  }
  const note = (ack: Ack) =>
    noteNode(name, ack, async (acks) => {
      await updateNodes(read, acks);
      return acks.map(() => true);
    });
  if (node && (await acknowledgeNode(note, { ...node, projectId, version }, standing))) {
    hub.announceAck(projectId);
  }
  return standing;
}

/**
 * Records the node's version and, with `wait`, holds the request until the project has a newer one.
 * The watch starts before the version is read, so that no announcement is missed in between.
 */
async function isUnchanged(
  work: FeedWork,
  asked: Asked,
  { since, wait }: { since: number; wait: Wait | null },
): Promise<boolean> {
  const watch = wait && work.hub.watch(asked.filter.projectId, since, wait);
  try {
    const { version } = await meetNode(work, asked, since);
    if (version !== since) return false;
    await watch?.over;
    // After a wait, read the delta, unless the caller has disconnected.
    return wait?.signal.aborted ?? true;
  } finally {
    watch?.end();
  }
}

function deltaSince(
  { keysMax, readDeltaOnce }: FeedWork,
  { record, query, filter }: Asked,
  since: number,
): Promise<DeltaVerdict> {
  const changesMax = Math.min(query.max_keys ?? keysMax, keysMax);
  const name = [filterName(record.read.reach, filter), since, changesMax].join(' ');
  return readDeltaOnce(name, () =>
    record.together((tx) => readDelta(feedIn(tx), { filter, since, changesMax })),
  );
}

async function snapshotReply(
  { keysMax }: FeedWork,
  { record, query, filter, after, issueCursor }: PageAsked,
): Promise<Reply> {
  const from = after && positionIn(after, filter);
  const pageKeysMax = query.max_keys ?? null;
  const answer = await record.together((tx) =>
    readSnapshot(feedIn(tx), { filter, pageKeysMax, keysMax, after: from }),
  );
  const { version } = answer.head;
  const next = answer.next && issueCursor(positionOf(answer.next, version, filter));
  const etag = etagOf('snap', filter, version);
  return new Reply(presentSnapshot(answer, filter, next), { headers: { etag } });
}

const notModified = (etag: string) => new Reply(null, { status: 304, headers: { etag } });

const nodeOf = ({ node }: Query, filter: FeedFilter) =>
  node === undefined ? null : { nodeId: node, envScope: envScopeOf(filter) };

/** Requests with the same name get the same response, so they can share one read. */
const filterName = (reach: Reach, { projectId, env, tenantIds }: FeedFilter): string =>
  [reachName(reach), projectId, env, tenantIds].join(' ');

/** Under reaches with the same name, a statement sees the same rows. */
const reachName = ({ workspaceId, envs, tenantId, projectId }: Reach): string =>
  [workspaceId, envs, tenantId, projectId].join(' ');
