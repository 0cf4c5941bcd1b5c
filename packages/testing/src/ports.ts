import { once } from 'node:events';
import { createServer } from 'node:net';

/** The bus of a Redis Cluster listens this far above its port. */
const BUS_OFFSET = 10_000;

/** A free port of the loopback interface, low enough for the bus port of a Redis Cluster. */
export async function freePort(): Promise<number> {
  for (;;) {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    server.close();
    if (address === null || typeof address === 'string') throw new Error('Found no free port.');
    if (address.port + BUS_OFFSET < 65_536) return address.port;
  }
}
