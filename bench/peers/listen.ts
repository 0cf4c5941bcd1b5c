// A benchmark server reports its port to the parent process, and exits when the parent does.
import type { Server } from 'node:net';
import type { FastifyInstance } from 'fastify';

export async function listenWithFastify(app: FastifyInstance): Promise<void> {
  await app.listen({ host: '127.0.0.1', port: 0 });
  reportPort(app.server);
}

export function reportPort(listening: Server): void {
  process.once('SIGTERM', () => process.exit(0));
  process.once('disconnect', () => process.exit(0));
  const address = listening.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  process.send?.({ ready: address.port });
}
