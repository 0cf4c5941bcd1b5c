// The policy feed, from which nodes learn all they need to verify keys locally.
import { policyEndpoints } from '@keyrail/protocol/endpoints/policy.ts';
import { shared } from '../../base/coalesce.ts';
import type { RecordDoor } from '../../doors/record.ts';
import { Reply, type ServedRoute, serve } from '../../http/route.ts';
import type { PolicyHub } from '../../volatile/policy-hub.ts';
import { readSnapshot, type SnapshotQuestion } from './feed-snapshot.ts';
import {
  cursorPositionOf,
  etagOf,
  filterOf,
  isKnownEtag,
  readCursorPosition,
} from './feed-view.ts';
import { type FollowParts, followFeed } from './follow-feed.ts';
import { createNodeRegistry } from './node-registry.ts';
import { presentDelta, presentSnapshot } from './present.ts';
import { feedIn } from './rows.ts';

export type PolicyParts = { hub: PolicyHub; policyPageKeysMax: number };

export const policyRoutes = ({ hub, policyPageKeysMax: keysMax }: PolicyParts): ServedRoute[] => {
  const nodes = createNodeRegistry(hub);
  const parts: FollowParts = { hub, nodes, share: shared() };
  return serve(policyEndpoints, {
    'GET /v1/policy/snapshot': {
      boundary: 'rows',
      door: 'record',
      // Revocations still work when the disk is nearly full, and nodes learn of them here.
      storage: 'reserve',
      patience: 'stepped',
      compress: true,
      hot: true,
      run: async ({ record, query, after: cursor, issueCursor, header }) => {
        const filter = filterOf(record.read.reach, query);
        const version = await nodes.seen(record.read, { filter, nodeId: query.node }, null);
        const etag = etagOf('snap', filter, version);
        if (!cursor && isKnownEtag(header('if-none-match'), etag)) return notModified(etag);
        const after = cursor && readCursorPosition(cursor, filter);
        const page = { filter, pageKeysMax: query.max_keys ?? null, keysMax, after };
        return snapshotReply(record, page, issueCursor);
      },
    },
    'GET /v1/policy/delta': {
      boundary: 'rows',
      door: 'record',
      storage: 'reserve',
      patience: 'stepped',
      compress: true,
      hot: true,
      // A delta may respond with a snapshot; its further pages come from the snapshot endpoint.
      cursorsOf: 'GET /v1/policy/snapshot',
      run: async ({ record, query, issueCursor, gone, admitAgain }) => {
        const { since, node: nodeId, leave: leaves, wait_ms: timeoutMs } = query;
        const filter = filterOf(record.read.reach, query);
        const changesMax = Math.min(query.max_keys ?? keysMax, keysMax);
        const wait = timeoutMs > 0 && !leaves ? { timeoutMs, signal: gone(), admitAgain } : null;
        const poll = { filter, nodeId, since, changesMax, leaves, wait };
        const verdict = await followFeed(parts, record, poll);
        if (verdict.kind === 'same') return notModified(etagOf('delta', filter, since));
        if (verdict.kind === 'snapshot') {
          const page = { filter, pageKeysMax: query.max_keys ?? null, keysMax, after: null };
          return snapshotReply(record, page, issueCursor);
        }
        const etag = etagOf('delta', filter, verdict.head.version);
        return new Reply(presentDelta(verdict, filter, since), { headers: { etag } });
      },
    },
  });
};

async function snapshotReply(
  record: RecordDoor,
  page: SnapshotQuestion,
  issueCursor: (position: readonly string[]) => string,
): Promise<Reply> {
  const { filter } = page;
  const answer = await record.together((tx) => readSnapshot(feedIn(tx), page));
  const { version } = answer.head;
  const next = answer.next && issueCursor(cursorPositionOf(answer.next, version, filter));
  const etag = etagOf('snap', filter, version);
  return new Reply(presentSnapshot(answer, filter, next), { headers: { etag } });
}

const notModified = (etag: string) => new Reply(null, { status: 304, headers: { etag } });
