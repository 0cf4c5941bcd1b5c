// The load generator: a separate process that keeps a fixed number of connections busy, with one
// request in flight on each. Any status other than 2xx, or 304 for a conditional request, ends the
// run with an error that contains the response.
import { connect, type Socket } from 'node:net';
import { isEndedByOverrun } from '../measure/overrun.ts';
import { percentile } from '../measure/statistics.ts';
import { checkStatus, responseLength } from './http-response.ts';
import type { LoadCommand, LoadResult } from './load-generator.ts';
import { runCommands } from './worker-loop.ts';

const READ_BYTES = 65_536;

type Load = {
  port: number;
  requests: Buffer[];
  sent: number;
  sockets: Set<Socket>;
  latenciesMs: number[];
  isOver: boolean;
};

async function generate({ port, request, connections, ms }: LoadCommand): Promise<LoadResult> {
  const load: Load = {
    port,
    requests: [request].flat().map((text) => Buffer.from(text, 'latin1')),
    sent: 0,
    sockets: new Set(),
    latenciesMs: [],
    isOver: false,
  };
  const cpuBefore = process.cpuUsage();
  const beganAt = performance.now();
  const timer = setTimeout(() => {
    load.isOver = true;
  }, ms);
  const busy = Promise.all(Array.from({ length: connections }, () => keepBusy(load)));
  let isEnded = false;
  try {
    isEnded = await isEndedByOverrun(busy, ms);
  } finally {
    load.isOver = true;
    clearTimeout(timer);
    for (const socket of load.sockets) socket.destroy();
  }
  const tookMs = performance.now() - beganAt;
  const cpu = process.cpuUsage(cpuBefore);
  return {
    done: load.latenciesMs.length,
    ms: tookMs,
    isEnded,
    p50Ms: percentile(load.latenciesMs, 0.5),
    p99Ms: percentile(load.latenciesMs, 0.99),
    cpuShare: (cpu.user + cpu.system) / 1000 / tookMs,
  };
}

/**
 * Keeps one connection busy: sends a request, waits for the full response, and repeats until the
 * time is up.
 */
function keepBusy(load: Load): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let pending: Buffer | null = null;
  let sentAt = 0;
  const send = (): void => {
    sentAt = performance.now();
    socket.write(load.requests[load.sent % load.requests.length] ?? '');
    load.sent += 1;
  };
  const receive = (bytes: Buffer): void => {
    const received = pending ? Buffer.concat([pending, bytes]) : bytes;
    const length = responseLength(received);
    if (length === null || received.length < length) {
      // The read buffer is reused, so an incomplete response has to be copied.
      pending = Buffer.from(received);
      return;
    }
    pending = null;
    if (received.length > length) throw new Error('received more bytes than one response contains');
    checkStatus(received);
    load.latenciesMs.push(performance.now() - sentAt);
    if (load.isOver) socket.end();
    else send();
  };
  const socket: Socket = connect({
    host: '127.0.0.1',
    port: load.port,
    noDelay: true,
    onread: {
      buffer: Buffer.alloc(READ_BYTES),
      callback: (count, buffer) => {
        try {
          receive(Buffer.from(buffer.buffer, buffer.byteOffset, count));
        } catch (error) {
          load.isOver = true;
          reject(error);
          socket.destroy();
        }
        return true;
      },
    },
  });
  load.sockets.add(socket);
  socket.once('connect', send);
  socket.once('error', reject);
  socket.once('close', () => {
    if (load.isOver) resolve();
    else reject(new Error('the server closed a connection'));
  });
  return promise;
}

runCommands(generate);
