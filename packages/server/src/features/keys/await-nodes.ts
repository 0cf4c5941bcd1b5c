import type { IncompleteReason } from '@keyrail/protocol/wire/receipt.ts';
import { monotonicMs } from '../../base/clock.ts';
import type { Shared } from '../../base/coalesce.ts';
import { msAfter, SECOND_MS } from '../../base/duration.ts';
import type { Read } from '../../doors/door.ts';
import type { PolicyHub } from '../../volatile/policy-hub.ts';
import { type KnownNode, listNodes, type NodeRow } from '../policy/node.rows.ts';
import { NODES_PER_SCOPE_MAX } from '../policy/node-conditions.ts';
import { countSilentNodes } from '../policy/node-count.rows.ts';
import { RECORDED_APART_MS } from '../policy/node-times.ts';
import { type Awaited, loadAwaited } from './propagation.rows.ts';
import type { KeyRow } from './rows.ts';

/** Identifies the last change to a key, which nodes must apply. */
type KeyChange = Pick<KeyRow, 'projectId' | 'env' | 'changeId'>;

export const keyChangeOf = ({ projectId, env, changeId }: KeyRow): KeyChange => ({
  projectId,
  env,
  changeId,
});

export type Propagation = {
  version: number;
  /** Null if every node has applied the change. */
  incompleteReason: IncompleteReason | null;
  waitedMs: number;
  nodes: AwaitedNode[];
  /**
   * The number of nodes that were seen in the last day, but haven't been seen recently enough for
   * the revocation to wait for them.
   */
  silentNodes: number;
};

/**
 * `ackedAfterMs` is how long after the start of the wait the server saw that the node had applied
 * the change, or null if the node hasn't applied it yet.
 */
type AwaitedNode = NodeRow & { ackedAfterMs: number | null };

type Waiting = {
  hub: PolicyHub;
  waitMsMax: number;
  signal: AbortSignal;
  sharePoll: Shared<KnownNode[]>;
};

/**
 * The shortest and longest pause between two reads of the node table during a wait. The table has
 * to be read because this process is only notified of acknowledgements that it received itself.
 */
const POLL_MS_MIN = 16;
const POLL_MS_MAX = 256;

/**
 * Right after a restore, each revocation waits at least this long, to give nodes without a record a
 * chance to poll. There is no guarantee that all of them do. The time is short because many keys
 * may have to be revoked.
 */
const RESTORED_WAIT_MS_MIN = SECOND_MS;

/**
 * Waits until every recently seen node that gets the key has applied the key's last change, and
 * returns the version of each node. No database connection is held between polls.
 */
export async function awaitNodes(
  read: Read,
  key: KeyChange,
  waiting: Waiting,
): Promise<Propagation> {
  const startedAt = monotonicMs();
  const awaited = await loadAwaited(read, key);
  const polled = await pollUntilAcked(read, key, { ...waiting, awaited, startedAt });
  const { nodes } = polled;
  const { projectId, env } = key;
  const silentNodes = await countSilentNodes(read, { projectId, env }, nodes);
  const waitedMs = Math.round(monotonicMs() - startedAt);
  const incompleteReason = reasonOf(awaited, polled);
  return { version: awaited.version, incompleteReason, waitedMs, nodes, silentNodes };
}

type Polled = { nodes: AwaitedNode[]; isFull: boolean };

async function pollUntilAcked(
  read: Read,
  { projectId, env }: KeyChange,
  waiting: Waiting & { awaited: Awaited; startedAt: number },
): Promise<Polled> {
  const { hub, waitMsMax, signal, sharePoll, awaited, startedAt } = waiting;
  const name = [read.reach.workspaceId, read.reach.envs, projectId, env].join(' ');
  let pauseMs = POLL_MS_MIN;
  let nodes: AwaitedNode[] = [];
  for (;;) {
    const known = await sharePoll(name, () => listNodes(read, { projectId, env }));
    const waitedMs = Math.round(monotonicMs() - startedAt);
    nodes = timed(nodes, counted(nodes, known), { version: awaited.version, waitedMs });
    const polled = { nodes, isFull: isFull(known) };
    if (isOver(awaited, polled, waitedMs) || waitedMs >= waitMsMax || signal.aborted) return polled;
    // All waits read the table at multiples of the pause, so that concurrent waits share a query.
    const untilNextMs = pauseMs - (monotonicMs() % pauseMs);
    const timeoutMs = Math.min(untilNextMs, waitMsMax - waitedMs);
    const isHeld = await hub.awaitAck(projectId, { timeoutMs, signal });
    // The server is stopping, or too many requests are already waiting, so this wait ends here.
    if (!isHeld) return polled;
    pauseMs = Math.min(pauseMs * 2, POLL_MS_MAX);
  }
}

const isMissing = ({ version }: Awaited, { ackedVersion }: NodeRow): boolean =>
  ackedVersion < version;

function isOver(awaited: Awaited, { nodes, isFull }: Polled, waitedMs: number): boolean {
  if (nodes.some((node) => isMissing(awaited, node))) return false;
  return awaited.isRestored ? waitedMs >= RESTORED_WAIT_MS_MIN : !isFull;
}

/**
 * A node that hasn't applied the change is reported as silent only if it definitely hasn't polled
 * since the wait began. Its last recorded poll may be a little older than its last poll, because
 * polls shortly after a recorded one are not recorded.
 */
function reasonOf(awaited: Awaited, { nodes, isFull }: Polled): IncompleteReason | null {
  if (awaited.isRestored) return 'restored';
  if (isFull) return 'full';
  const missing = nodes.filter((node) => isMissing(awaited, node));
  if (missing.length === 0) return null;
  const heardAfter = msAfter(awaited.now, -RECORDED_APART_MS);
  return missing.some(({ lastSeenAt }) => lastSeenAt < heardAfter) ? 'silent' : 'timeout';
}

const nameOf = ({ nodeId, envScope }: NodeRow): string => `${nodeId} ${envScope}`;

/**
 * Returns the nodes to wait for, plus those that have gone silent during this wait. Without the
 * silent nodes, a revocation that they never applied would be reported as complete. A node whose
 * record has been removed has left.
 */
function counted(before: readonly NodeRow[], known: readonly KnownNode[]): KnownNode[] {
  const names = new Set(before.map(nameOf));
  return known.filter((node) => node.isCounted || names.has(nameOf(node)));
}

/**
 * Adds the time at which each node applied the change. A node keeps its first time, unless it has
 * since fallen behind.
 */
function timed(
  before: readonly AwaitedNode[],
  nodes: readonly NodeRow[],
  { version, waitedMs }: { version: number; waitedMs: number },
): AwaitedNode[] {
  const times = new Map(before.map((node) => [nameOf(node), node.ackedAfterMs]));
  return nodes.map((node) => ({
    ...node,
    ackedAfterMs: node.ackedVersion >= version ? (times.get(nameOf(node)) ?? waitedMs) : null,
  }));
}

/**
 * Whether there are already as many node records as an env scope may have. Nodes without a record
 * may then be verifying keys, so a revocation is never reported as complete.
 */
function isFull(known: readonly KnownNode[]): boolean {
  if (known.length < NODES_PER_SCOPE_MAX) return false;
  const ofAll = known.filter(({ envScope }) => envScope === 'all').length;
  return Math.max(ofAll, known.length - ofAll) >= NODES_PER_SCOPE_MAX;
}
