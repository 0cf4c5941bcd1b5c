import { NODE_SEEN_WITHIN_MS } from '@keyrail/protocol/limits.ts';
import { monotonicMs } from '../../base/clock.ts';
import type { Sharing } from '../../base/sharing.ts';
import type { Read } from '../../doors/door.ts';
import type { PolicyHub } from '../../volatile/policy-hub.ts';
import { listNodes, type NodeRow } from '../policy/rows.ts';
import { type KeyRow, loadVersion } from './rows.ts';

export type Propagation = {
  version: number;
  complete: boolean;
  waitedMs: number;
  nodes: NodeRow[];
};

type Waiting = {
  hub: PolicyHub;
  waitMsMax: number;
  signal: AbortSignal;
  shareLook: Sharing<NodeRow[]>;
};

/** Acknowledgements to other processes are not called out to this one: look again after this. */
const LOOK_AGAIN_MS_MIN = 16;
const LOOK_AGAIN_MS_MAX = 256;

/**
 * Waits until every node that was seen lately, and whose view covers the key, has applied its last
 * change; tells which have. No connection is held between two looks.
 */
export async function awaitNodes(
  read: Read,
  key: KeyRow,
  { hub, waitMsMax, signal, shareLook }: Waiting,
): Promise<Propagation> {
  const startedAt = monotonicMs();
  const version = await loadVersion(read, key);
  const seen = { projectId: key.projectId, env: key.env, seenWithinMs: NODE_SEEN_WITHIN_MS };
  const look = [read.reach.workspaceId, read.reach.envs, key.projectId, key.env].join(' ');
  let pauseMs = LOOK_AGAIN_MS_MIN;
  let nodes: NodeRow[] = [];
  for (;;) {
    nodes = withAll(nodes, await shareLook(look, () => listNodes(read, seen)));
    const complete = nodes.every(({ ackedVersion }) => ackedVersion >= version);
    const waitedMs = Math.round(monotonicMs() - startedAt);
    if (complete || waitedMs >= waitMsMax || signal.aborted) {
      return { version, complete, waitedMs, nodes };
    }
    // At the same moments as everyone else who waits: all of them share one look.
    const untilNextMs = pauseMs - (monotonicMs() % pauseMs);
    const timeoutMs = Math.min(untilNextMs, waitMsMax - waitedMs);
    const isHeld = await hub.awaitAck(key.projectId, { timeoutMs, signal });
    // A server that stops, or is full of those who wait, says what it knows.
    if (!isHeld) return { version, complete, waitedMs, nodes };
    pauseMs = Math.min(pauseMs * 2, LOOK_AGAIN_MS_MAX);
  }
}

/**
 * What is known now, and who was counted before and has fallen silent since: waiting until he is
 * out of sight would make complete what he has not applied.
 */
function withAll(before: readonly NodeRow[], now: readonly NodeRow[]): NodeRow[] {
  const nameOf = ({ nodeId, envScope }: NodeRow) => `${nodeId} ${envScope}`;
  const seen = new Set(now.map(nameOf));
  return [...now, ...before.filter((node) => !seen.has(nameOf(node)))];
}
