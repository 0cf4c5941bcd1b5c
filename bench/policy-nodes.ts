// Nodes that long-poll, in a program of their own: raw keep-alive sockets, each polling for changes
// after its version and recording when the response arrived. Times of two programs on one machine
// are comparable: both read the system's monotonic clock.
import { connect } from 'node:net';
import { hrtime } from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { takeOrders } from './orders.ts';
import type { Announced, NodesOrder, NodesResult } from './policy-revocations.ts';

const HEAD_END = '\r\n\r\n';
/** Waits until all polls are held. A poll that would not be held has been answered by then. */
const SETTLE_MS = 500;

/** Arrival times of a version, by port and version. */
const arrivals = new Map<string, number[]>();

async function startNodes(order: NodesOrder): Promise<void> {
  await Promise.all(Array.from({ length: order.count }, (_, at) => startNode(order, `n${at}`)));
  await sleep(SETTLE_MS);
}

function startNode({ port, path, token, version }: NodesOrder, name: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const socket = connect({ host: '127.0.0.1', port, noDelay: true });
  let known = version;
  const ask = (): void => {
    const line = `GET ${path}&since=${known}&node=${name} HTTP/1.1`;
    socket.write(`${line}\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${token}${HEAD_END}`);
  };
  let pending = '';
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    pending += chunk;
    const headEnd = pending.indexOf(HEAD_END);
    const length = Number(/\r\ncontent-length: *(\d+)/i.exec(pending)?.[1] ?? 0);
    if (headEnd < 0 || pending.length < headEnd + HEAD_END.length + length) return;
    const atMs = Number(hrtime.bigint()) / 1e6;
    const answer = pending;
    pending = '';
    if (answer.startsWith('HTTP/1.1 200 ')) {
      known = Number(/"version":(\d+)/.exec(answer)?.[1]);
      const change = `${port} ${known}`;
      arrivals.set(change, [...(arrivals.get(change) ?? []), atMs]);
    } else if (!answer.startsWith('HTTP/1.1 304 ')) throw new Error(answer.slice(0, 300));
    ask();
  });
  socket.once('connect', () => {
    ask();
    resolve();
  });
  socket.once('error', reject);
  return promise;
}

takeOrders(async (order: NodesOrder | Announced): Promise<NodesResult> => {
  if ('path' in order) await startNodes(order);
  return { arrivedMs: arrivals.get(`${order.port} ${order.version}`) ?? [] };
});
