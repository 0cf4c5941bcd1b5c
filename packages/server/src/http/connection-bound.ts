// How many connections the server holds: fewer than the files that the process may open, so that
// the database, the log and the disk keep theirs, and with a few kept free for probes. A connection
// beyond the bound is answered 503 unless it asks for a probe, and lives for a short time only, so
// that /healthz can be reached while other clients hold all the connections that there are.
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';

export type ConnectionLimits = {
  connectionsMax: number;
  /** Beyond those. More than both together are closed as soon as they are made. */
  probeConnectionsMax: number;
  /** How long one of these lives. Longer than any probe takes. */
  probeConnectionMs: number;
};

/** What the system is taken to allow where it does not say. */
const OPEN_FILES_ASSUMED = 1024;
/** The rest is for the database, for files, and for connections that are just being closed. */
const SOCKETS_SHARE = 0.6;
const SOCKETS_MAX = 100_000;
const PROBES_SHARE = 0.25;
const PROBES_MAX = 64;
const PROBE_CONNECTION_MS = 5000;

export function connectionLimits(openFilesMax: number | null): ConnectionLimits {
  const files = openFilesMax ?? OPEN_FILES_ASSUMED;
  const sockets = Math.floor(Math.min(SOCKETS_MAX, files * SOCKETS_SHARE));
  const probeConnectionsMax = Math.floor(Math.min(PROBES_MAX, sockets * PROBES_SHARE));
  return {
    connectionsMax: sockets - probeConnectionsMax,
    probeConnectionsMax,
    probeConnectionMs: PROBE_CONNECTION_MS,
  };
}

const PROBES: readonly string[] = ['/healthz', '/readyz', '/status'];

export type ConnectionBound = {
  /** The request came over a connection beyond the bound. */
  isBeyond(request: IncomingMessage): boolean;
  isProbe(request: IncomingMessage): boolean;
};

export function boundConnections(server: Server, limits: ConnectionLimits): ConnectionBound {
  const { connectionsMax, probeConnectionsMax, probeConnectionMs } = limits;
  const beyond = new WeakSet<Socket>();
  let open = 0;
  server.maxConnections = connectionsMax + probeConnectionsMax;
  server.on('connection', (socket) => {
    open += 1;
    socket.once('close', () => {
      open -= 1;
    });
    if (open <= connectionsMax) return;
    beyond.add(socket);
    const timer = setTimeout(() => socket.destroy(), probeConnectionMs);
    socket.once('close', () => clearTimeout(timer));
  });
  return {
    isBeyond: ({ socket }) => beyond.has(socket),
    isProbe: ({ url = '' }) => PROBES.includes(url.split('?', 1)[0] ?? ''),
  };
}
