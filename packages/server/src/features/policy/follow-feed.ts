// Responds to one poll of a node, `GET /v1/policy/delta`:
//
//   seen ─▶ version moved ───────────────────────────────────▶ read ─▶ delta | snapshot
//     ├───▶ unmoved, poll waits ─▶ held ─▶ moved or timeout ─▶ read ─▶ same | delta | snapshot
//     │                              └───▶ disconnected ─▶ same
//     └───▶ unmoved, poll does not wait ─▶ same
//
// *Seen* records that the node has applied `since`, and reads the project's version. *Held* takes
// no database connection; the watch starts before the version is read, so that no announcement is
// missed in between. *Read* takes the changes from one database snapshot, which may be newer than
// the version that ended the wait. The credential may have been revoked while the poll was held, so
// a poll that waits is authenticated again before changes are sent in its response.
import { monotonicMs } from '../../base/clock.ts';
import type { Shared } from '../../base/coalesce.ts';
import type { JsonText } from '../../base/json-text.ts';
import type { RecordDoor } from '../../doors/record.ts';
import type { PolicyHub } from '../../volatile/policy-hub.ts';
import { type DeltaAnswer, readDelta } from './feed-delta.ts';
import { type FeedFilter, reachName } from './feed-view.ts';
import { type NodeRegistry, type PollingNode, versionOf } from './node-registry.ts';
import { feedIn } from './rows.ts';

type PollAnswer =
  | { kind: 'same' }
  | { kind: 'delta'; version: number; body: JsonText }
  /** The node is too far behind or ahead of the server, or its delta exceeds a page. */
  | { kind: 'snapshot' };

export type FollowParts = {
  hub: PolicyHub;
  nodes: NodeRegistry;
  /** Concurrent polls for the same changes share one read, and the text of one response. */
  share: Shared<PollAnswer>;
  textOf(delta: DeltaAnswer, filter: FeedFilter, since: number): JsonText;
};

type Poll = PollingNode & {
  /** The version that the node has applied. */
  since: number;
  changesMax: number;
  /** The node has stopped verifying keys. It gets an immediate response. */
  leaves: boolean;
  /** Null for a poll that gets an immediate response. */
  wait: PollWait | null;
};

type PollWait = {
  timeoutMs: number;
  /** Aborted when the caller disconnects. */
  signal: AbortSignal;
  /** Throws if the caller's credential has been revoked during the wait. */
  admitAgain(): Promise<void>;
};

export async function followFeed(
  parts: FollowParts,
  record: RecordDoor,
  poll: Poll,
): Promise<PollAnswer> {
  if (await isUnchanged(parts, record, poll)) return { kind: 'same' };
  const [answer] = await Promise.all([readShared(parts, record, poll), poll.wait?.admitAgain()]);
  return answer;
}

/** Performs the steps *seen* and *held*. False if the changes have to be read. */
async function isUnchanged(
  { hub, nodes }: FollowParts,
  { read }: RecordDoor,
  { since, leaves, wait, ...node }: Poll,
): Promise<boolean> {
  const { workspaceId } = read.reach;
  const watch = wait && hub.watch(node.filter.projectId, since, { ...wait, workspaceId });
  try {
    const version = leaves
      ? await nodes.left(read, node)
      : versionOf(await nodes.seen(read, node, since));
    if (version !== since) return false;
    const heldSince = monotonicMs();
    await watch?.over;
    if (wait?.signal.aborted) await nodes.hungUp(read, node, monotonicMs() - heldSince);
    return wait?.signal.aborted ?? true;
  } finally {
    watch?.end();
  }
}

function readShared(
  { share, textOf }: FollowParts,
  record: RecordDoor,
  { filter, since, changesMax }: Poll,
): Promise<PollAnswer> {
  const { projectId, env, tenantIds, include } = filter;
  const asked = [projectId, env, tenantIds, include, since, changesMax];
  const name = [reachName(record.read.reach), ...asked].join(' ');
  return share(name, async () => {
    const verdict = await record.together((tx) =>
      readDelta(feedIn(tx), { filter, since, changesMax }),
    );
    if (verdict.kind !== 'delta') return verdict;
    const body = textOf(verdict, filter, since);
    return { kind: 'delta', version: verdict.head.version, body };
  });
}
