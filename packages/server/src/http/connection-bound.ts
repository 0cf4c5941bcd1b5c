// Limits the open connections to fewer than the files that the process may open, so that database,
// log and disk keep theirs. A few more are reserved for probes: above the limit, a connection gets
// 503 unless it requests a probe, and is closed after a short time. So /healthz stays reachable
// while other clients hold all other connections.
import { readFileSync } from 'node:fs';
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';

export type ConnectionLimits = {
  connectionsMax: number;
  /** In addition to `connectionsMax`. Connections above the sum are closed at once. */
  probeConnectionsMax: number;
  /** The lifetime of a connection above `connectionsMax`: longer than any probe takes. */
  probeConnectionMs: number;
};

/** Used if the system does not report its limit. */
const OPEN_FILES_ASSUMED = 1024;
/** The rest is for the database, for files, and for connections that are being closed. */
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

type ConnectionBound = {
  /** Whether the request came over a connection above `connectionsMax`. */
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

const LIMITS_FILE = '/proc/self/limits';

/**
 * The limit of open files and sockets of this process: null if the system does not report it,
 * infinite if the number is unlimited. Node raises the soft limit to the hard limit when it starts,
 * so the limit must be read while the server runs.
 */
export function openFilesMax(): number | null {
  try {
    return softLimitIn(readFileSync(LIMITS_FILE, 'utf8'));
  } catch {
    return null;
  }
}

export function softLimitIn(limits: string): number | null {
  const soft = /^Max open files +(\d+|unlimited)/m.exec(limits)?.[1];
  if (soft === undefined) return null;
  return soft === 'unlimited' ? Number.POSITIVE_INFINITY : Number(soft);
}
