import { once } from 'node:events';
import { createServer } from 'node:net';

/** A Redis Cluster node's bus port is this far above its main port. */
const BUS_OFFSET = 10_000;
const PORT_MAX = 65_535;

/** Finds a free loopback port whose Redis Cluster bus port is free as well. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = await listenOnce(0);
    if (port === null) throw new Error('No free port found.');
    const busPort = port + BUS_OFFSET;
    if (busPort <= PORT_MAX && (await listenOnce(busPort)) !== null) return port;
  }
}

/** Briefly listens on a port; returns the port, or null if it is in use. */
async function listenOnce(port: number): Promise<number | null> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return null;
  }
  const address = server.address();
  server.close();
  return address === null || typeof address === 'string' ? null : address.port;
}
