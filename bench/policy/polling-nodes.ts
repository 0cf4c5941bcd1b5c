// Nodes that long-poll, in a separate process: raw keep-alive sockets, each of which polls for
// changes after its version and records when the response arrived. Times from two processes on one
// machine are comparable, because both read the system's monotonic clock.
import { connect } from 'node:net';
import { hrtime } from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { NODE_HEADER } from '@keyrail/protocol/wire/node-header.ts';
import { runCommands } from '../load/worker-loop.ts';

export type StartNodes = {
  port: number;
  path: string;
  token: string;
  version: number;
  count: number;
  /** How many names the nodes share; by default, each node has its own. */
  names?: number;
};
/** Asks when each node received a version. */
export type FindArrivals = { port: number; version: number };
export type Arrivals = { arrivedMs: number[] };

const HEAD_END = '\r\n\r\n';
/** How long to wait until the server holds every poll or has responded to it. */
const SETTLE_MS = 500;
/**
 * How many connections to open at a time. The system's queue for unaccepted connections is short.
 */
const AT_ONCE = 200;
const ACCEPT_MS = 20;

/**
 * Nodes wait until no response has arrived for this long, and then poll again. Unlike real nodes,
 * they share one thread. If the first nodes polled again immediately, the last nodes would read
 * their responses late.
 */
const QUIET_MS = 20;

/** Arrival times, by port and version. */
const arrivals = new Map<string, number[]>();
let polls: (() => void)[] = [];
let quiet: NodeJS.Timeout | undefined;

function pollLater(poll: () => void): void {
  polls.push(poll);
  if (polls.length > 1) return void quiet?.refresh();
  quiet = setTimeout(() => {
    const due = polls;
    polls = [];
    for (const one of due) one();
  }, QUIET_MS);
}

async function startNodes(command: StartNodes): Promise<void> {
  const { count, names = count } = command;
  for (let first = 0; first < count; first += AT_ONCE) {
    const slice = Array.from({ length: Math.min(AT_ONCE, count - first) }, (_, at) => first + at);
    await Promise.all(slice.map((at) => startNode(command, `n${at % names}`)));
    await sleep(ACCEPT_MS);
  }
  await sleep(SETTLE_MS);
}

function startNode({ port, path, token, version }: StartNodes, name: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const socket = connect({ host: '127.0.0.1', port, noDelay: true });
  let known = version;
  const poll = (): void => {
    // A node's name is sent in a header, as in the SDK. If it were in the path, each node would
    // need a separately signed response.
    const lines = [
      `GET ${path}&since=${known} HTTP/1.1`,
      'host: 127.0.0.1',
      `authorization: Bearer ${token}`,
      `${NODE_HEADER}: ${name}`,
    ];
    socket.write(lines.join('\r\n') + HEAD_END);
  };
  let pending = '';
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    pending += chunk;
    const headEnd = pending.indexOf(HEAD_END);
    const length = Number(/\r\ncontent-length: *(\d+)/i.exec(pending)?.[1] ?? 0);
    if (headEnd < 0 || pending.length < headEnd + HEAD_END.length + length) return;
    const atMs = Number(hrtime.bigint()) / 1e6;
    const response = pending;
    pending = '';
    if (response.startsWith('HTTP/1.1 200 ')) {
      known = Number(/"version":(\d+)/.exec(response)?.[1]);
      const change = `${port} ${known}`;
      const times = arrivals.get(change);
      if (times) times.push(atMs);
      else arrivals.set(change, [atMs]);
    } else if (!response.startsWith('HTTP/1.1 304 ')) throw new Error(response.slice(0, 300));
    pollLater(poll);
  });
  socket.once('connect', () => {
    poll();
    resolve();
  });
  socket.once('error', reject);
  return promise;
}

runCommands(async (command: StartNodes | FindArrivals): Promise<Arrivals> => {
  if ('path' in command) await startNodes(command);
  return { arrivedMs: arrivals.get(`${command.port} ${command.version}`) ?? [] };
});
