import { monotonicMs } from '../../base/clock.ts';
import type { Shared } from '../../base/coalesce.ts';
import type { Read } from '../../doors/door.ts';
import type { PolicyHub } from '../../volatile/policy-hub.ts';
import {
  type KnownNode,
  listNodes,
  NODES_PER_SCOPE_MAX,
  type NodeRow,
} from '../policy/node.rows.ts';
import { countSilentNodes } from '../policy/node-count.rows.ts';
import { type KeyRow, loadVersion } from './rows.ts';

/** The last change of a key, which nodes must apply. */
type KeyChange = Pick<KeyRow, 'projectId' | 'env' | 'changeId'>;

export const keyChangeOf = ({ projectId, env, changeId }: KeyRow): KeyChange => ({
  projectId,
  env,
  changeId,
});

export type Propagation = {
  version: number;
  complete: boolean;
  waitedMs: number;
  nodes: AwaitedNode[];
  /** Nodes seen within a day that the revocation does not wait for. */
  silentNodes: number;
};

/** When the wait first saw that the node had applied the change; null if it has not. */
type AwaitedNode = NodeRow & { ackedAfterMs: number | null };

type Waiting = {
  hub: PolicyHub;
  waitMsMax: number;
  signal: AbortSignal;
  sharePoll: Shared<KnownNode[]>;
};

/** The hub announces only acknowledgements that this process received, so the table is polled. */
const POLL_MS_MIN = 16;
const POLL_MS_MAX = 256;

/**
 * Waits until every counted node that sees the key has applied the key's last change, and returns
 * the version of each node. No database connection is held between two polls.
 */
export async function awaitNodes(
  read: Read,
  key: KeyChange,
  waiting: Waiting,
): Promise<Propagation> {
  const startedAt = monotonicMs();
  const version = await loadVersion(read, key);
  const { complete, nodes } = await pollUntilAcked(read, key, { ...waiting, version, startedAt });
  const { projectId, env } = key;
  const silentNodes = await countSilentNodes(read, { projectId, env }, nodes);
  const waitedMs = Math.round(monotonicMs() - startedAt);
  return { version, complete, waitedMs, nodes, silentNodes };
}

type Polled = { complete: boolean; nodes: AwaitedNode[] };

async function pollUntilAcked(
  read: Read,
  { projectId, env }: KeyChange,
  waiting: Waiting & { version: number; startedAt: number },
): Promise<Polled> {
  const { hub, waitMsMax, signal, sharePoll, version, startedAt } = waiting;
  const name = [read.reach.workspaceId, read.reach.envs, projectId, env].join(' ');
  let pauseMs = POLL_MS_MIN;
  let nodes: AwaitedNode[] = [];
  for (;;) {
    const known = await sharePoll(name, () => listNodes(read, { projectId, env }));
    const waitedMs = Math.round(monotonicMs() - startedAt);
    nodes = timed(nodes, awaited(nodes, known), { version, waitedMs });
    const complete = !isFull(known) && nodes.every(({ ackedVersion }) => ackedVersion >= version);
    if (complete || waitedMs >= waitMsMax || signal.aborted) return { complete, nodes };
    // All waits poll at multiples of the pause, so that concurrent ones share one query.
    const untilNextMs = pauseMs - (monotonicMs() % pauseMs);
    const timeoutMs = Math.min(untilNextMs, waitMsMax - waitedMs);
    const isHeld = await hub.awaitAck(projectId, { timeoutMs, signal });
    // The server is stopping, or holds its maximum of waits: return the current state.
    if (!isHeld) return { complete, nodes };
    pauseMs = Math.min(pauseMs * 2, POLL_MS_MAX);
  }
}

const nameOf = ({ nodeId, envScope }: NodeRow): string => `${nodeId} ${envScope}`;

/**
 * Keeps nodes that were counted earlier in this wait and have gone silent since. Dropping them
 * would report a revocation as complete that they never applied. A node without a record has left.
 */
function awaited(before: readonly NodeRow[], known: readonly KnownNode[]): KnownNode[] {
  const names = new Set(before.map(nameOf));
  return known.filter((node) => node.isCounted || names.has(nameOf(node)));
}

/** A node keeps the time of its first acknowledgement, unless it has fallen behind since. */
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

/** In a full scope, a node without a record may verify keys, so the wait is never complete. */
function isFull(known: readonly KnownNode[]): boolean {
  if (known.length < NODES_PER_SCOPE_MAX) return false;
  const ofAll = known.filter(({ envScope }) => envScope === 'all').length;
  return Math.max(ofAll, known.length - ofAll) >= NODES_PER_SCOPE_MAX;
}
