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

/** The last change to a key, which nodes must apply. */
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
   * The number of nodes that were seen in the last day but that the revocation no longer waits for.
   */
  silentNodes: number;
};

/**
 * `ackedAfterMs`: how long into the wait the server saw that the node had applied the change; null
 * if it hasn't yet.
 */
type AwaitedNode = NodeRow & { ackedAfterMs: number | null };

type Waiting = {
  hub: PolicyHub;
  waitMsMax: number;
  signal: AbortSignal;
  sharePoll: Shared<KnownNode[]>;
};

/**
 * The pauses between reads of the node table during a wait. This process is only notified of
 * acknowledgements that it received itself, so the table has to be read as well.
 */
const POLL_MS_MIN = 16;
const POLL_MS_MAX = 256;

/**
 * Right after a restore, a wait lasts at least this long, to give unknown nodes a chance to poll.
 * There is no guarantee that all of them do. The time is short because many keys may have to be
 * revoked.
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
    // All waits poll at multiples of the pause, so that concurrent waits share a query.
    const untilNextMs = pauseMs - (monotonicMs() % pauseMs);
    const timeoutMs = Math.min(untilNextMs, waitMsMax - waitedMs);
    const isHeld = await hub.awaitAck(projectId, { timeoutMs, signal });
    // The server is stopping, or already has its maximum number of waits: return the current state.
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
 * A missing node is reported as silent only if it definitely hasn't polled since the wait began.
 * This allows for polls left unrecorded because another had been recorded shortly before.
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
 * The nodes that count now, plus those that counted earlier in this wait but have since gone
 * silent. If these were left out, a revocation that they never applied would be reported as
 * complete. A node without a record has left.
 */
function counted(before: readonly NodeRow[], known: readonly KnownNode[]): KnownNode[] {
  const names = new Set(before.map(nameOf));
  return known.filter((node) => node.isCounted || names.has(nameOf(node)));
}

/** A node keeps the time of its first acknowledgement, unless it has since fallen behind. */
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
 * Whether the maximum number of node records for an env scope has been reached. Nodes without a
 * record may then be verifying keys, so a revocation is never reported as complete.
 */
function isFull(known: readonly KnownNode[]): boolean {
  if (known.length < NODES_PER_SCOPE_MAX) return false;
  const ofAll = known.filter(({ envScope }) => envScope === 'all').length;
  return Math.max(ofAll, known.length - ofAll) >= NODES_PER_SCOPE_MAX;
}
