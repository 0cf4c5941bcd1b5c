import { monotonicMs } from '../../base/clock.ts';
import type { Sharing } from '../../base/sharing.ts';
import type { Read } from '../../doors/door.ts';
import type { PolicyHub } from '../../volatile/policy-hub.ts';
import {
  countSilentNodes,
  type KnownNode,
  listNodes,
  NODES_PER_SCOPE_MAX,
  type NodeRow,
} from '../policy/node.rows.ts';
import { type KeyRow, loadVersion } from './rows.ts';

export type Propagation = {
  version: number;
  complete: boolean;
  waitedMs: number;
  nodes: NodeRow[];
  /** Seen within a day, and not waited for. */
  silentNodes: number;
};

type Waiting = {
  hub: PolicyHub;
  waitMsMax: number;
  signal: AbortSignal;
  shareLook: Sharing<KnownNode[]>;
};

/** Acknowledgements to other processes are not called out to this one: look again after this. */
const LOOK_AGAIN_MS_MIN = 16;
const LOOK_AGAIN_MS_MAX = 256;

/**
 * Waits until every node that is counted, and whose view covers the key, has applied its last
 * change; tells which have. No connection is held between two looks.
 */
export async function awaitNodes(read: Read, key: KeyRow, waiting: Waiting): Promise<Propagation> {
  const startedAt = monotonicMs();
  const version = await loadVersion(read, key);
  const { complete, nodes } = await lookUntilAcked(read, key, { ...waiting, version, startedAt });
  const { projectId, env } = key;
  const silentNodes = await countSilentNodes(read, { projectId, env }, nodes);
  const waitedMs = Math.round(monotonicMs() - startedAt);
  return { version, complete, waitedMs, nodes, silentNodes };
}

type Looked = { complete: boolean; nodes: KnownNode[] };

async function lookUntilAcked(
  read: Read,
  { projectId, env }: KeyRow,
  waiting: Waiting & { version: number; startedAt: number },
): Promise<Looked> {
  const { hub, waitMsMax, signal, shareLook, version, startedAt } = waiting;
  const look = [read.reach.workspaceId, read.reach.envs, projectId, env].join(' ');
  let pauseMs = LOOK_AGAIN_MS_MIN;
  let nodes: KnownNode[] = [];
  for (;;) {
    const known = await shareLook(look, () => listNodes(read, { projectId, env }));
    nodes = awaited(nodes, known);
    const complete = !isFull(known) && nodes.every(({ ackedVersion }) => ackedVersion >= version);
    const waitedMs = Math.round(monotonicMs() - startedAt);
    if (complete || waitedMs >= waitMsMax || signal.aborted) return { complete, nodes };
    // At the same moments as everyone else who waits: all of them share one look.
    const untilNextMs = pauseMs - (monotonicMs() % pauseMs);
    const timeoutMs = Math.min(untilNextMs, waitMsMax - waitedMs);
    const isHeld = await hub.awaitAck(projectId, { timeoutMs, signal });
    // A server that stops, or is full of those who wait, says what it knows.
    if (!isHeld) return { complete, nodes };
    pauseMs = Math.min(pauseMs * 2, LOOK_AGAIN_MS_MAX);
  }
}

/**
 * Nodes that are counted now, and those that were counted before and have fallen silent since:
 * waiting must not make complete what they have not applied. A node without a record has left.
 */
function awaited(before: readonly NodeRow[], known: readonly KnownNode[]): KnownNode[] {
  const nameOf = ({ nodeId, envScope }: NodeRow) => `${nodeId} ${envScope}`;
  const names = new Set(before.map(nameOf));
  return known.filter((node) => node.isCounted || names.has(nameOf(node)));
}

/** Where there is no room for another record, a node may verify keys without being counted. */
function isFull(known: readonly KnownNode[]): boolean {
  if (known.length < NODES_PER_SCOPE_MAX) return false;
  const ofAll = known.filter(({ envScope }) => envScope === 'all').length;
  return Math.max(ofAll, known.length - ofAll) >= NODES_PER_SCOPE_MAX;
}
