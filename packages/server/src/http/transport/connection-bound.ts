// Limits the number of open connections to fewer than the number of files the process may open, so
// that some are left for the database, the log and the disk. A few more connections are reserved
// for probes: above the limit, a connection gets a 503 unless it requests a probe, and is closed
// after a short time. This keeps /healthz reachable when other clients use all other connections.
// No single address can use them all, and before they run out, connections without a request are
// closed to make room for new ones.
import { readFileSync } from 'node:fs';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { createAddressCheck } from '@keyrail/protocol/wire/address-block.ts';
import { networksOf } from '../../access/client-networks.ts';
import { monotonicMs } from '../../base/clock.ts';

export type ConnectionLimits = {
  connectionsMax: number;
  /**
   * How many connections may be open above `connectionsMax`, for probes. Any further connection is
   * closed immediately.
   */
  probeConnectionsMax: number;
  /**
   * How long a connection above `connectionsMax` may stay open. Must be longer than any probe
   * takes.
   */
  probeConnectionMs: number;
  /** How long a connection above `connectionsMax` may take to send its request. */
  probeRequestMs: number;
  /** The maximum for one address or IPv6 /64 network. Trusted proxies are exempt. */
  perAddressMax: number;
  /** How long a connection must be without a request before it may be closed to make room. */
  idleMsMin: number;
};

/** The limit on open files to assume if the system does not report one. */
const OPEN_FILES_ASSUMED = 1024;
/**
 * The fraction of the open file limit to use for connections. The rest is for the database, for
 * files, and for connections that are being closed.
 */
const SOCKETS_SHARE = 0.6;
const SOCKETS_MAX = 100_000;
const PROBES_SHARE = 0.25;
const PROBES_MAX = 64;
const PROBE_CONNECTION_MS = 5000;
const PROBE_REQUEST_MS = 500;
const ADDRESS_SHARE = 0.75;
const IDLE_MS_MIN = 500;
/** When more than this fraction of the connections are in use, idle connections are closed. */
const CROWDED_SHARE = 0.8;
/** How many open connections are checked for idleness each time a new connection arrives. */
const LOOKED_AT = 16;

export function connectionLimits(openFilesMax: number | null): ConnectionLimits {
  const files = openFilesMax ?? OPEN_FILES_ASSUMED;
  const sockets = Math.floor(Math.min(SOCKETS_MAX, files * SOCKETS_SHARE));
  const probeConnectionsMax = Math.floor(Math.min(PROBES_MAX, sockets * PROBES_SHARE));
  const connectionsMax = sockets - probeConnectionsMax;
  return {
    connectionsMax,
    probeConnectionsMax,
    probeConnectionMs: PROBE_CONNECTION_MS,
    probeRequestMs: PROBE_REQUEST_MS,
    perAddressMax: Math.ceil(connectionsMax * ADDRESS_SHARE),
    idleMsMin: IDLE_MS_MIN,
  };
}

const PROBES: readonly string[] = ['/healthz', '/readyz', '/status'];

type ConnectionBound = {
  /** Called when a request begins. */
  began(request: IncomingMessage, response: ServerResponse): void;
  /** Whether the request arrived on a connection above one of the limits. */
  isBeyond(request: IncomingMessage): boolean;
  isProbe(request: IncomingMessage): boolean;
};

type Bounded = { limits: ConnectionLimits; trustProxy: readonly string[] | false };

export function boundConnections(server: Server, { limits, trustProxy }: Bounded): ConnectionBound {
  const { connectionsMax, probeConnectionsMax, perAddressMax } = limits;
  /**
   * Connections above one of the limits, each with the timer that closes it unless a request
   * begins.
   */
  const beyond = new WeakMap<Socket, NodeJS.Timeout>();
  const idle = createIdleConnections(limits.idleMsMin);
  const addresses = countAddresses(trustProxy);
  let open = 0;
  server.maxConnections = connectionsMax + probeConnectionsMax;
  server.on('connection', (socket) => {
    open += 1;
    const ofAddress = addresses.add(socket);
    if (open > connectionsMax * CROWDED_SHARE) idle.closeOldest();
    idle.add(socket);
    socket.once('close', () => {
      open -= 1;
      idle.remove(socket);
    });
    if (open <= connectionsMax && ofAddress <= perAddressMax) return;
    const destroy = () => socket.destroy();
    const silent = setTimeout(destroy, limits.probeRequestMs);
    const timer = setTimeout(destroy, limits.probeConnectionMs);
    beyond.set(socket, silent);
    socket.once('close', () => {
      clearTimeout(silent);
      clearTimeout(timer);
    });
  });
  return {
    began({ socket }, response) {
      const silent = beyond.get(socket);
      if (silent) clearTimeout(silent);
      idle.began(socket, response);
    },
    isBeyond: ({ socket }) => beyond.has(socket),
    isProbe: ({ url = '' }) => PROBES.includes(url.split('?', 1)[0] ?? ''),
  };
}

/**
 * The state of a connection. `response` is the connection's latest response, or null if the
 * connection was idle when it was last checked.
 */
type Use = { response: ServerResponse | null; idleFromMs: number };

/**
 * Finds idle connections to close. This only matters when there are many connections, which most
 * servers never have, so a request only records its response. Whether the response has ended is
 * checked later, for a few connections at a time.
 */
function createIdleConnections(idleMsMin: number) {
  /** Each connection's state. The connection checked least recently comes first. */
  const uses = new Map<Socket, Use>();
  return {
    add: (socket: Socket): void =>
      void uses.set(socket, { response: null, idleFromMs: monotonicMs() }),
    remove: (socket: Socket): void => void uses.delete(socket),
    began(socket: Socket, response: ServerResponse): void {
      const use = uses.get(socket);
      if (use) use.response = response;
    },
    closeOldest(): void {
      const now = monotonicMs();
      let looked = 0;
      for (const [socket, use] of uses) {
        looked += 1;
        const isIdle = use.response === null || use.response.closed;
        if (isIdle && use.response === null && now - use.idleFromMs >= idleMsMin) {
          socket.destroy();
          return;
        }
        uses.delete(socket);
        uses.set(socket, isIdle && use.response ? { response: null, idleFromMs: now } : use);
        if (looked === LOOKED_AT) return;
      }
    },
  };
}

/** Counts open connections by address, except for trusted proxies, which serve many clients. */
function countAddresses(trustProxy: readonly string[] | false) {
  const isProxy = createAddressCheck(trustProxy || []);
  const counts = new Map<string, number>();
  return {
    /** Returns how many connections the address has, including this one; 0 for a trusted proxy. */
    add(socket: Socket): number {
      const { remoteAddress: address } = socket;
      if (address === undefined || isProxy(address)) return 0;
      const { client } = networksOf(address);
      const count = (counts.get(client) ?? 0) + 1;
      counts.set(client, count);
      socket.once('close', () => {
        const left = (counts.get(client) ?? 1) - 1;
        if (left > 0) counts.set(client, left);
        else counts.delete(client);
      });
      return count;
    },
  };
}

const LIMITS_FILE = '/proc/self/limits';

/**
 * This process's limit on open files and sockets: null if the system does not report it, infinite
 * if there is no limit. Node.js raises the soft limit to the hard limit when it starts, so the
 * limit must be read while the server runs.
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
