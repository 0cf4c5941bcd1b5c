// Allows one process per data directory. PGlite does not lock the directory, so two processes using
// it would both acknowledge writes and silently lose them. The lock is a socket in the directory.
// An abstract socket named after the path also locks out earlier versions, which use no other lock.
import { createHash } from 'node:crypto';
import { mkdir, realpath } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { reasonOf } from '../../base/errors.ts';
import { holdSocketIn } from './directory-socket.ts';

export class DirectoryInUse extends Error {
  constructor(directory: string) {
    super(
      `Another Keyrail process is already using ${directory}. Stop it, or choose another directory ` +
        'with KEYRAIL_DATA_DIR. To run several processes, use PostgreSQL (DATABASE_URL).',
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
  const close = (): Promise<void> => new Promise((resolve) => server.close(() => resolve()));
  const held = await holdSocketIn(place).catch(async (error: unknown) => {
    await close();
    throw new Error(`Cannot lock ${place}: ${reasonOf(error)}`, { cause: error });
  });
  if (held === null) {
    await close();
    throw new DirectoryInUse(place);
  }
  return {
    async release() {
      await held.release();
      await close();
    },
  };
}

const listen = (server: Server, path: string): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ path }, resolve);
  });
