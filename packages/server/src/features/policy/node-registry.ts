// Keeps records of the nodes that poll this process. After a change, many nodes poll at the same
// time, so their records are read and written in batches.

import { NODE_SEEN_WITHIN_MS } from '@keyrail/protocol/wire/limits.ts';
import { batched } from '../../base/coalesce.ts';
import { conflict } from '../../base/errors.ts';
import type { Read } from '../../doors/door.ts';
import { type Reach, reachName } from '../../doors/reach.ts';
import type { PolicyHub } from '../../volatile/policy-hub.ts';
import { envScopeOf, type FeedFilter } from './feed-view.ts';
import { listNodesSeen, type NodeAck, type NodeSeen, updateNodes } from './node.rows.ts';
import type { NodeName } from './node-conditions.ts';
import type { SdkName } from './node-headers.ts';
import { removeNode, updateLeftNode } from './node-leave.rows.ts';
import { type HungUp, updateHungUpNodes, updateReplacedNodes } from './node-presence.rows.ts';
import { connectedMs } from './node-times.ts';

/**
 * Limits the work per statement, because the embedded store blocks the event loop while a statement
 * runs.
 */
const NODES_PER_STATEMENT = 1000;

export type PollingNode = {
  filter: FeedFilter;
  /** Undefined if the request doesn't identify a node; nothing is then recorded. */
  nodeId: string | undefined;
  /**
   * Null if the node reports no name. Only nodes with a name have their polls rejected after
   * leaving.
   */
  name: string | null;
  /** The longest time until the node's next poll; null if not reported. */
  nextPollMs: number | null;
  /** If only the SDK version has changed since the last poll, no record is written. */
  sdk: SdkName | null;
};

export type NodeRegistry = {
  /**
   * Records that a node has polled, and the version it acknowledges (null if none). Returns the
   * project's version. If the node has left, records nothing and returns `left`.
   */
  seen(read: Read, polling: PollingNode, version: number | null): Promise<number | 'left'>;
  /** Removes a node that has stopped verifying keys. Returns the project's version. */
  left(read: Read, polling: PollingNode): Promise<number>;
  /** Records that a poll was cut off after it was held for some time. Never rejects. */
  hungUp(read: Read, polling: PollingNode, heldMs: number): Promise<void>;
};

export function createNodeRegistry(hub: PolicyHub): NodeRegistry {
  // Polls that arrive while a statement is running share the next one.
  const readBatch = batched<NodeName | null, NodeSeen>({
    max: NODES_PER_STATEMENT,
    inFlightMax: 1,
  });
  const writeBatch = batched<NodeAck, true>({ max: NODES_PER_STATEMENT });
  const hungUpBatch = batched<HungUp, true>({ max: NODES_PER_STATEMENT, inFlightMax: 1 });

  const find = (read: Read, projectId: string, node: NodeName | null): Promise<NodeSeen> =>
    readBatch(`${reachName(read.reach)} ${projectId}`, node, (nodes) =>
      listNodesSeen(read, projectId, nodes),
    );

  const write = (read: Read, ack: NodeAck): Promise<true> =>
    writeBatch(reachName(read.reach), ack, async (acks) => {
      await updateNodes(read, acks);
      const begun = acks.filter(({ isNew, name }) => isNew && name !== null);
      if (begun.length > 0) await updateReplacedNodes(read, begun);
      return acks.map(() => true);
    });

  return {
    async seen(read, polling, version) {
      const { projectId } = polling.filter;
      const node = nameOf(polling);
      const known = await find(read, projectId, node);
      if (known.hasLeft) return 'left';
      const acked = ackedVersion(version, known);
      const { sdk, name, nextPollMs } = polling;
      const nextMs = nextPollMs ?? NODE_SEEN_WITHIN_MS;
      const { understands } = polling.filter;
      const secretKeyId = secretKeyOf(read.reach);
      const isSame = isSameNode(known, { understands, secretKeyId });
      if (node && (!isSame || isWorthWriting(acked, known, nextMs))) {
        const isNew = known.ackedVersion === null;
        const said = { sdk, name, connectedMs: connectedMs(nextMs), understands };
        await write(read, { ...node, projectId, version: acked, ...said, secretKeyId, isNew });
        hub.announceAck(projectId);
      }
      return known.version;
    },
    async left(read, polling) {
      const { projectId } = polling.filter;
      const node = nameOf(polling);
      const { version } = await find(read, projectId, node);
      const remove = polling.name === null ? removeNode : updateLeftNode;
      // Wakes the revocations that are waiting for this node.
      if (node && (await remove(read, projectId, node))) hub.announceAck(projectId);
      return version;
    },
    async hungUp(read, polling, heldMs) {
      const { projectId } = polling.filter;
      const node = nameOf(polling);
      if (!node) return;
      // Subtracts 1 ms because the database truncates times to milliseconds. Otherwise, the node
      // could appear to have polled again since.
      const hungUp = { ...node, projectId, heldMs: heldMs - 1 };
      // If this update fails, the node counts as connected until its next poll is overdue.
      await hungUpBatch(reachName(read.reach), hungUp, async (nodes) => {
        await updateHungUpNodes(read, nodes);
        return nodes.map(() => true);
      }).catch(() => {});
    },
  };
}

/**
 * Rejects a node that has left. Revocations no longer wait for it, so it must not get the policy.
 */
export function versionOf(seen: number | 'left'): number {
  if (seen !== 'left') return seen;
  throw conflict('This node has left. A restarted node needs a new ID.');
}

const nameOf = ({ filter, nodeId }: PollingNode): NodeName | null =>
  nodeId === undefined ? null : { nodeId, envScope: envScopeOf(filter) };

/**
 * Returns null if the node has no version, or if the project isn't at that version yet, for example
 * after a database restore.
 */
const ackedVersion = (version: number | null, known: NodeSeen): number | null =>
  version && version <= known.version ? version : null;

const secretKeyOf = ({ actor }: Reach): string | null =>
  actor.type === 'secret_key' ? actor.id : null;

type NodeMarks = Pick<NodeAck, 'understands' | 'secretKeyId'>;

/** Whether the node still understands the same features, and still uses the same secret key. */
const isSameNode = (known: NodeSeen, { understands, secretKeyId }: NodeMarks): boolean =>
  known.secretKeyId === secretKeyId && String(known.understands) === String(understands);

/**
 * A record is written only if the node is new, its version has changed, the record is stale, or the
 * node would otherwise stop counting as connected before its next poll.
 */
const isWorthWriting = (acked: number | null, known: NodeSeen, nextPollMs: number): boolean =>
  known.ackedVersion === null ||
  known.isStale === true ||
  (known.connectedForMs !== null && known.connectedForMs < nextPollMs) ||
  (acked !== null && acked !== known.ackedVersion);
