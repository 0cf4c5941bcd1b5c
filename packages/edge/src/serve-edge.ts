// Runs one Edge: an SDK node, and a server on each address in the settings.
import { lstatSync, unlinkSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { connect } from 'node:net';
import { createKeyrail } from '@keyrail/sdk';
import { createListener } from './answer-requests.ts';
import { openRelay } from './relay/relay.ts';
import { type Place, SettingFault } from './setting-parsers.ts';
import type { Settings } from './settings.ts';
import { readAllHeaders } from './too-many-headers.ts';
import { createTrust } from './trusted-proxies.ts';

type Edge = {
  /**
   * The addresses that Edge listens on, in the same order as in the settings, but with the actual
   * ports. The relay's address is last.
   */
  places: string[];
  /** Waits for accepted requests, sends the remaining telemetry, and unregisters the node. */
  close(): Promise<void>;
};

/** Owner and group may connect, because the proxy usually runs as a different user. */
const SOCKET_MODE = 0o660;
const CLOSE_MS_MAX = 10_000;
/**
 * How many connections can be waiting to be accepted. When a relay restarts, all of its nodes
 * connect at the same moment.
 */
const BACKLOG = 4096;
/** Longer than proxies keep idle connections open, so that the proxy is the one to close them. */
const KEEP_ALIVE_MS = 75_000;
/**
 * Higher than proxies' default limits, so that Edge responds to every request. If Edge dropped a
 * connection instead, the proxy would consider it down and might allow requests unchecked.
 */
const HEADER_BYTES_MAX = 2 * 1024 * 1024;

export async function serveEdge(
  { node, defaults, places, trustedProxies, relay: relays }: Settings,
  log: (message: string) => void,
): Promise<Edge> {
  const keyrail = createKeyrail({
    ...node,
    log: (level, message) => {
      if (level !== 'info') log(message);
    },
  });
  const relay = relays && openRelay(relays);
  const isTrusted = createTrust(trustedProxies);
  const listener = createListener({ keyrail, defaults, warn: log, relay, isTrusted });
  const servers: Server[] = [];
  const close = async (): Promise<void> => {
    relay?.endPolls();
    await Promise.all(servers.map(closed));
    await keyrail.close();
    relay?.close();
  };
  try {
    const options = { keepAliveTimeout: KEEP_ALIVE_MS };
    for (const place of places) {
      const server = createServer({ ...options, maxHeaderSize: HEADER_BYTES_MAX }, listener);
      await listening(server, place);
      servers.push(server);
    }
    if (relay && relays) {
      const server = createServer(options, relay.listener);
      await listening(server, relays.place);
      servers.push(server);
    }
  } catch (error) {
    await close();
    throw error;
  }
  return { places: servers.map(placeOf), close };
}

async function listening(server: Server, place: Place): Promise<void> {
  readAllHeaders(server);
  if ('path' in place) await removeDeadSocket(place.path);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ ...place, backlog: BACKLOG }, () => {
      server.off('error', reject);
      resolve();
    });
  });
  if ('path' in place) await chmod(place.path, SOCKET_MODE);
}

/**
 * Removes a socket that a killed process left behind. Throws if a process is still listening on it.
 */
async function removeDeadSocket(path: string): Promise<void> {
  // If the path is a link, checks the link and not its target, which must be left alone.
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found) return;
  if (!found.isSocket()) {
    throw new SettingFault(`${path} is not a socket, so Edge does not replace it.`);
  }
  const isAlive = await new Promise<boolean>((resolve) => {
    const socket = connect(path, () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
  if (isAlive) throw new SettingFault(`Another process is already listening on ${path}.`);
  unlinkSync(path);
}

function placeOf(server: Server): string {
  const address = server.address();
  if (address === null || typeof address === 'string') return `unix:${address}`;
  return `${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`;
}

/** Closes idle connections immediately, and busy ones after their response or after a timeout. */
const closed = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    const late = setTimeout(() => server.closeAllConnections(), CLOSE_MS_MAX);
    server.close(() => {
      clearTimeout(late);
      resolve();
    });
    server.closeIdleConnections();
  });
