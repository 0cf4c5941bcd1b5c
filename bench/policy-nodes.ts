// Nodes that long-poll, in a program of their own: raw kept-alive sockets, each asking for what
// came after its version, and noting when the news of it arrived. Clocks of two programs on one
// machine agree: both tell by the system's monotonic clock.
import { connect } from 'node:net';
import { hrtime } from 'node:process';
import type { NodesOrder, NodesResult } from './policy-revocations.ts';

const HEAD_END = '\r\n\r\n';
const SETTLE_MS = 200;

type Node = { version: number; isHeld: boolean };

async function run({ port, token, projectId, version, count }: NodesOrder): Promise<void> {
  const nodes = await Promise.all(
    Array.from({ length: count }, (_, at) =>
      startNode({ port, token, projectId, version }, `node-${at}`),
    ),
  );
  // Held, not merely sent: an answer within this time would have come already.
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  if (nodes.length !== count) throw new Error('not all nodes are connected');
}

/** What was told of a version, and when, by node. */
const arrivals = new Map<number, number[]>();

type Asking = Omit<NodesOrder, 'count'>;

function startNode({ port, token, projectId, version }: Asking, name: string): Promise<Node> {
  const node: Node = { version, isHeld: false };
  const { promise, resolve, reject } = Promise.withResolvers<Node>();
  const socket = connect({ host: '127.0.0.1', port, noDelay: true });
  const ask = (): void => {
    const query = `project_id=${projectId}&since=${node.version}&wait_ms=30000&node=${name}`;
    socket.write(
      `GET /v1/policy/delta?${query} HTTP/1.1\r\nhost: 127.0.0.1\r\n` +
        `authorization: Bearer ${token}\r\n\r\n`,
    );
  };
  let pending = '';
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    pending += chunk;
    const headEnd = pending.indexOf(HEAD_END);
    const length = Number(/\r\ncontent-length: *(\d+)/i.exec(pending)?.[1] ?? 0);
    if (headEnd < 0 || pending.length < headEnd + HEAD_END.length + length) return;
    const at = Number(hrtime.bigint()) / 1e6;
    const body = pending.slice(headEnd + HEAD_END.length);
    const isNews = pending.startsWith('HTTP/1.1 200 ');
    if (!isNews && !pending.startsWith('HTTP/1.1 304 ')) throw new Error(pending.slice(0, 300));
    pending = '';
    if (isNews) {
      node.version = Number(/"version":(\d+)/.exec(body)?.[1]);
      arrivals.set(node.version, [...(arrivals.get(node.version) ?? []), at]);
    }
    ask();
  });
  socket.once('connect', () => {
    ask();
    resolve(node);
  });
  socket.once('error', reject);
  return promise;
}

process.on('message', async (order: NodesOrder | { told: number }) => {
  try {
    if ('told' in order) {
      const result: NodesResult = { arrivedMs: arrivals.get(order.told) ?? [] };
      process.send?.({ result });
      return;
    }
    await run(order);
    process.send?.({ result: { arrivedMs: [] } });
  } catch (error) {
    process.send?.({ fault: error instanceof Error ? error.message : String(error) });
  }
});
process.send?.({ ready: true });
