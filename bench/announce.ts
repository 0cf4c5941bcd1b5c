// A benchmark server reports its port to the parent process and exits together with it.
import type { FastifyInstance } from 'fastify';

export async function listenAndAnnounce(app: FastifyInstance): Promise<void> {
  const origin = await app.listen({ host: '127.0.0.1', port: 0 });
  process.once('SIGTERM', () => process.exit(0));
  process.once('disconnect', () => process.exit(0));
  process.send?.({ ready: Number(new URL(origin).port) });
}
