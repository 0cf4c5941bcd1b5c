// Responds to one poll by a node, `GET /v1/policy/delta`:
//
//   seen ─▶ new version ──────────────────────────────────────────▶ read ─▶ delta | snapshot
//     ├───▶ same version, waits ─▶ held ─▶ change or timeout ─────▶ read ─▶ same | delta | snapshot
//     │                              └───▶ disconnected ─▶ same
//     └───▶ same version, does not wait ─▶ same
//
// *Seen* records that the node has applied `since`, and reads the project's version. *Held* uses no
// database connection. Watching for changes starts before the version is read, so that no change in
// between is missed. *Read* gets the changes from a single database snapshot, which may be newer
// than the version that ended the wait. The credential may have been revoked while the poll was
// held, so a poll that waits is authenticated again before it gets any changes.

import { monotonicMs } from '../../base/clock.ts';
import type { Shared } from '../../base/coalesce.ts';
import type { JsonText } from '../../base/json-text.ts';
import { reachName } from '../../doors/reach.ts';
import type { RecordDoor } from '../../doors/record.ts';
import type { PolicyHub } from '../../volatile/policy-hub.ts';
import { type DeltaAnswer, readDelta } from './feed-delta.ts';
import type { FeedFilter } from './feed-view.ts';
import { type NodeRegistry, type PollingNode, versionOf } from './node-registry.ts';
import { feedIn } from './rows.ts';

type PollAnswer =
  | { kind: 'same' }
  | { kind: 'delta'; version: number; body: JsonText }
  /**
   * The response must be a snapshot, because the node is too far behind, is ahead of the server, or
   * needs more changes than fit on a page.
   */
  | { kind: 'snapshot' };

export type FollowParts = {
  hub: PolicyHub;
  nodes: NodeRegistry;
  /** Concurrent polls for the same changes share one read and one serialised response. */
  share: Shared<PollAnswer>;
  textOf(delta: DeltaAnswer, filter: FeedFilter, since: number): JsonText;
};

type Poll = PollingNode & {
  /** The version that the node has applied. */
  since: number;
  changesMax: number;
  /** Whether the node has stopped verifying keys. If so, it gets an immediate response. */
  leaves: boolean;
  /** Null for a poll that gets an immediate response. */
  wait: PollWait | null;
};

type PollWait = {
  timeoutMs: number;
  /** Aborted when the caller disconnects. */
  signal: AbortSignal;
  /** Throws if the caller's credential was revoked or narrowed during the wait. */
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

/** Runs the steps *seen* and *held*. False if the changes still have to be read. */
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
  const { projectId, env, tenantIds, include, understands } = filter;
  const asked = [projectId, env, tenantIds, include, understands, since, changesMax];
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
