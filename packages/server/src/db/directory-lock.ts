// One process per data directory. PGlite itself takes no lock: two processes on one directory
// both acknowledge writes and lose them silently. An abstract socket named after the directory is
// held exactly as long as the process lives, also when it is killed.
import { createHash } from 'node:crypto';
import { mkdir, realpath } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';

export class DirectoryInUse extends Error {
  constructor(directory: string) {
    super(
      `Another Keyrail process is using ${directory}. Stop it first, or choose another ` +
        'directory with KEYRAIL_DATA_DIR. For several processes set DATABASE_URL to PostgreSQL.',
    );
  }
}

export type DirectoryLock = { release(): Promise<void> };

export async function lockDirectory(directory: string): Promise<DirectoryLock> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const place = await realpath(directory);
  const digest = createHash('sha256').update(place).digest('hex').slice(0, 32);
  const server = createServer((socket) => socket.destroy());
  await listen(server, `\0keyrail-${digest}`).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'EADDRINUSE' ? new DirectoryInUse(place) : error;
  });
  server.unref();
  return { release: () => new Promise((resolve) => server.close(() => resolve())) };
}

const listen = (server: Server, path: string): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ path }, resolve);
  });
