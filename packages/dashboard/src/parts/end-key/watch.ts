// Revokes or disables a key and watches its nodes. The rows always come from the server: from the
// list of nodes before the change, from polls while waiting, or from the final response.
import type { Answer, Item } from '@keyrail/client';
import { LIST_LIMIT_MAX } from '@keyrail/protocol/wire/limits.ts';
import { useEffect, useRef, useState } from 'react';
import { useApi, useRefresh, useSend } from '../../api/query.ts';
import type { EndAct } from './texts.ts';

export type ApiKey = Answer<'GET /v1/keys/{id}'>;
export type Propagation = NonNullable<Answer<'POST /v1/keys/{id}/revoke'>['propagation']>;
type PolicyNode = Item<'GET /v1/policy/nodes'>;

export type NodeLine = {
  id: string;
  /** The node's policy version before the change; null if the node appeared later. */
  from: number | null;
  version: number;
  isApplied: boolean;
  /** How long after the change the node confirmed it; null until the final response. */
  afterMs: number | null;
  lastSeenAt: string;
};

type Watch =
  | { phase: 'ready' }
  | { phase: 'running'; startedMs: number }
  | { phase: 'done'; propagation: Propagation; tookMs: number }
  | { phase: 'failed'; error: Error };

/** The list of nodes is only polled if the response to the change takes longer than this. */
const POLLS_AFTER_MS = 300;
const POLL_MS = 200;
/** How often the list of nodes is reloaded until the user confirms the change. */
const READY_MS = 5000;

export function useWatch(key: ApiKey, act: EndAct) {
  const send = useSend();
  const refresh = useRefresh();
  const query = { project_id: key.project_id, env: key.env, limit: LIST_LIMIT_MAX };
  const [watch, setWatch] = useState<Watch>({ phase: 'ready' });
  const everyMs = watch.phase === 'ready' && READY_MS;
  const nodes = useApi('GET /v1/policy/nodes', { query }, { everyMs });
  const [before, setBefore] = useState<readonly PolicyNode[]>([]);
  const [polled, setPolled] = useState<readonly PolicyNode[] | null>(null);
  const isHere = useRef(true);
  useEffect(() => {
    isHere.current = true;
    return () => {
      isHere.current = false;
    };
  }, []);

  /** Polls the list of nodes until the response to the change arrives. */
  const poll = async (isOver: () => boolean): Promise<void> => {
    await pause(POLLS_AFTER_MS);
    while (!isOver() && isHere.current) {
      const { data: now } = await send('GET /v1/policy/nodes', { query }).catch(() => ({
        data: null,
      }));
      if (now && !isOver()) setPolled(now);
      await pause(POLL_MS);
    }
  };

  const start = async (reason: string): Promise<void> => {
    const startedMs = performance.now();
    let isOver = false;
    if (watch.phase === 'ready') setBefore(nodes.data?.data ?? []);
    setWatch({ phase: 'running', startedMs });
    const input = {
      params: { id: key.id },
      query: { wait: true },
      ...(reason !== '' && { body: { reason } }),
    };
    void poll(() => isOver);
    try {
      const { propagation } =
        act === 'revoke'
          ? await send('POST /v1/keys/{id}/revoke', input)
          : await send('POST /v1/keys/{id}/disable', input);
      const tookMs = Math.round(performance.now() - startedMs);
      if (!propagation) throw new Error('bug: the response to wait=true has no propagation');
      setWatch({ phase: 'done', propagation, tookMs });
    } catch (error) {
      setWatch({
        phase: 'failed',
        error: error instanceof Error ? error : new Error(String(error)),
      });
    } finally {
      isOver = true;
      void refresh('/v1/keys', '/v1/audit_logs', '/v1/policy', '/v1/workspace/summary');
    }
  };
  return { watch, start, lines: linesOf(watch, before, polled) };
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

function linesOf(
  watch: Watch,
  before: readonly PolicyNode[],
  polled: readonly PolicyNode[] | null,
): NodeLine[] {
  const known = new Map(before.map(({ node_id, version }) => [node_id, version]));
  if (watch.phase === 'done') {
    const { nodes } = watch.propagation;
    return nodes
      .map((node) => ({
        id: node.node_id,
        from: known.get(node.node_id) ?? null,
        version: node.version,
        isApplied: node.acked,
        afterMs: node.acked_after_ms,
        lastSeenAt: node.last_seen_at,
      }))
      .sort((a, b) => (a.afterMs ?? Infinity) - (b.afterMs ?? Infinity));
  }
  const targets = before.map(({ current_version }) => current_version);
  const [target = 0] = targets;
  return (polled ?? before)
    .filter(({ state }) => state !== 'silent')
    .map(({ node_id, version, current_version, last_seen_at }) => ({
      id: node_id,
      from: known.get(node_id) ?? null,
      version,
      // A version newer than the latest version before the change always includes the change.
      isApplied: current_version > target && version >= current_version,
      afterMs: null,
      lastSeenAt: last_seen_at,
    }));
}
